// Makes each chart interactive when it is scrolled to. The static drawing stays until the
// interactive one is ready, and for good where anything goes wrong.
(function () {
  "use strict";
  function refused() {
    return Promise.reject(new Error("this page makes no requests"));
  }
  var options = {
    mode: "vega-lite",
    renderer: "svg",
    ast: true,
    actions: false,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
    loader: { load: refused, sanitize: refused, http: refused, file: refused },
  };
  function enliven(graphic) {
    var block = document.getElementById("chart-" + graphic.dataset.chart);
    if (!block || graphic.dataset.live) return;
    graphic.dataset.live = "starting";
    var stage = document.createElement("div");
    vegaEmbed(stage, JSON.parse(block.textContent), options).then(
      function () {
        graphic.replaceChildren(stage);
        graphic.dataset.live = "yes";
      },
      function () {
        graphic.dataset.live = "no";
      }
    );
  }
  if (typeof vegaEmbed !== "function" || !("IntersectionObserver" in window)) return;
  var seen = new IntersectionObserver(
    function (entries) {
      entries.forEach(function (entry) {
        if (!entry.isIntersecting) return;
        seen.unobserve(entry.target);
        enliven(entry.target);
      });
    },
    { rootMargin: "200px" }
  );
  document.querySelectorAll(".graphic").forEach(function (graphic) {
    seen.observe(graphic);
  });
})();
