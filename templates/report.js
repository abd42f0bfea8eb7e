// Makes each chart interactive when it is scrolled to. The static drawing stays until the
// interactive one is ready, and for good where anything goes wrong. On a narrow screen a wide
// chart takes its narrow form.
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
  var slim = window.matchMedia("(max-width: 560px)");
  function specification(form, name) {
    var block = document.getElementById(form + "-" + name);
    return block && JSON.parse(block.textContent);
  }
  function enliven(graphic) {
    var whole = specification("chart", graphic.dataset.chart);
    if (!whole || graphic.dataset.live) return;
    var narrow = slim.matches && specification("narrow", graphic.dataset.chart);
    var drawn = narrow ? Object.assign({ datasets: whole.datasets, config: whole.config }, narrow) : whole;
    graphic.dataset.live = "starting";
    var stage = document.createElement("div");
    stage.setAttribute("aria-hidden", "true"); // the figure has a label of its own
    vegaEmbed(stage, drawn, options).then(
      function () {
        graphic.replaceChildren(stage);
        graphic.dataset.live = "yes";
        graphic.dataset.form = narrow ? "narrow" : "whole";
        hint(graphic, drawn);
      },
      function () {
        graphic.dataset.live = "no";
      }
    );
  }
  function hint(graphic, drawn) { // what can be done with the chart
    var text = JSON.stringify(drawn), words = [];
    if (text.indexOf('"bind":"legend"') >= 0) words.push("Click names in the legend to single them out.");
    if (text.indexOf('"bind":"scales"') >= 0) words.push("Shift and wheel zoom, shift and drag move, a double click resets.");
    if (!words.length || !window.matchMedia("(hover: hover)").matches) return;
    var note = document.createElement("p");
    note.className = "hint";
    note.textContent = words.join(" ");
    graphic.append(note);
  }
  markPlace();
  function markPlace() { // in the contents, the section that is read
    var links = {};
    document.querySelectorAll("nav.contents a").forEach(function (link) {
      links[link.getAttribute("href").slice(1)] = link;
    });
    var sections = Object.keys(links).map(function (id) { return document.getElementById(id); }).filter(Boolean);
    function mark() {
      var line = window.innerHeight / 4, current = sections[0];
      sections.forEach(function (section) {
        if (section.getBoundingClientRect().top <= line) current = section;
      });
      var foot = document.documentElement;
      if (foot.scrollTop > 0 && foot.scrollTop + window.innerHeight >= foot.scrollHeight - 2) {
        current = sections[sections.length - 1];
      }
      sections.forEach(function (section) {
        if (section === current) links[section.id].setAttribute("aria-current", "true");
        else links[section.id].removeAttribute("aria-current");
      });
    }
    if (!sections.length) return;
    window.addEventListener("scroll", mark, { passive: true });
    window.addEventListener("resize", mark);
    mark();
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
  function watch() {
    [".full > .graphic", ".graphic"].forEach(function (those) { // wide ones first: they may change
      document.querySelectorAll(those).forEach(function (graphic) {
        delete graphic.dataset.live;
        seen.observe(graphic);
      });
    });
  }
  slim.addEventListener("change", watch);
  watch();
})();
