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
      function (result) {
        graphic.replaceChildren(stage);
        graphic.dataset.live = "yes";
        graphic.dataset.form = narrow ? "narrow" : "whole";
        reach(graphic);
        if (JSON.stringify(drawn).indexOf('"bind":"legend"') >= 0) choices(graphic, stage, result.view);
        hint(graphic, drawn);
      },
      function () {
        graphic.dataset.live = "no";
      }
    );
  }
  function reach(graphic) { // by the keyboard, where there is something to scroll
    if (graphic.scrollWidth > graphic.clientWidth) graphic.tabIndex = 0;
    else graphic.removeAttribute("tabindex");
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
  function choices(graphic, stage, view) { // the names of the legend as buttons, for the keyboard
    function names() { return Array.from(stage.querySelectorAll(".role-legend-label text")); }
    function model(label) { return label.__data__.datum.value; }
    var bar = document.createElement("div"), chosen = [];
    bar.className = "choices";
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", "Models to single out");
    names().forEach(function (label, place) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = label.textContent;
      button.tabIndex = place ? -1 : 0;
      button.addEventListener("click", function () { press(names()[place]); });
      bar.append(button);
    });
    function press(label) { // as a pointer does it
      var box = label.getBoundingClientRect();
      var at = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
      ["pointerdown", "pointerup", "click"].forEach(function (type) { label.dispatchEvent(new PointerEvent(type, at)); });
    }
    function show() {
      names().forEach(function (label, place) {
        bar.children[place].setAttribute("aria-pressed", String(chosen.indexOf(model(label)) >= 0));
      });
    }
    view.addDataListener("series_store", function (_name, rows) {
      chosen = rows.map(function (row) { return row.values[0]; });
      show();
    });
    bar.addEventListener("keydown", function (event) {
      var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key], all = Array.from(bar.children);
      if (!step) return;
      var next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
      all.forEach(function (one) { one.tabIndex = one === next ? 0 : -1; });
      next.focus();
      event.preventDefault();
    });
    show();
    var caption = graphic.closest("figure").querySelector("figcaption"), before = caption.querySelector(".choices");
    if (before) before.remove();
    caption.append(bar); // the drawing is an image, which holds no buttons
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
        reach(graphic);
        seen.observe(graphic);
      });
    });
  }
  slim.addEventListener("change", watch);
  watch();
})();
