// Moves the threshold of a model: counts, measures and costs at every position, as the report
// prints them. Positions go from the loosest threshold on the left to the strictest.
(function () {
  "use strict";
  var root = document.getElementById("threshold-explorer");
  if (!root) return;
  var data = JSON.parse(document.getElementById("threshold-counts").textContent);
  var select = root.querySelector(".model"), slider = root.querySelector(".position");
  var rule = root.querySelector(".rule"), back = root.querySelector(".reported");

  function rounded(size, digits) { // half to even, of 12 digits, as in the rest of the report
    var scale = Math.pow(10, digits), scaled = Number((size * scale).toPrecision(12));
    var whole = Math.floor(scaled), rest = scaled - whole;
    if (rest > 0.5 || (rest === 0.5 && whole % 2 === 1)) whole += 1;
    return (whole / scale).toFixed(digits);
  }
  function grouped(text) {
    var parts = text.split(".");
    parts[0] = parts[0].replace(/\B(?=(\d{3})+$)/g, ",");
    return parts.join(".");
  }
  function scientific(size) {
    var parts = size.toExponential(1).split("e");
    var raised = String(Number(parts[1])).replace(/[-0-9]/g, function (mark) {
      return mark === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(mark)];
    });
    return parts[0] + " × 10" + raised;
  }
  function number(value, digits) {
    if (value === null) return "n/a";
    var size = Math.abs(value), sign = value < 0 ? "−" : "";
    if (size >= 1e7) return sign + scientific(size);
    var text = rounded(size, digits);
    if (size > 0 && Number(text) === 0) return value < 0 ? text : "< " + Math.pow(10, -digits).toFixed(digits);
    return sign + grouped(text);
  }
  function count(value) {
    return Number.isInteger(value) ? grouped(String(value)) : number(value, 1);
  }
  function threshold(value) {
    if (value === 0) return "0";
    var size = Math.abs(value), text;
    if (size < 1e-4 || size >= 1e7) text = scientific(size);
    else {
      text = grouped(rounded(size, Math.max(0, 3 - Math.floor(Math.log10(size)))));
      if (text.indexOf(".") >= 0) text = text.replace(/\.?0+$/, "");
    }
    return (value < 0 ? "−" : "") + text;
  }

  function cells(model, row) {
    var tp = model.tp[row], fp = model.fp[row];
    return [tp, fp, model.positives - tp, model.negatives - fp];
  }
  function sum(weights, counts) {
    return weights.reduce(function (total, weight, i) { return total + weight * counts[i]; }, 0);
  }
  function value(measure, counts) {
    var part = sum(measure.part, counts);
    if (!measure.whole) return part;
    var whole = sum(measure.whole, counts);
    return whole === 0 ? null : part / whole;
  }
  function printed(measure, counts) {
    var result = value(measure, counts);
    return measure.whole ? number(result, 3) : count(result);
  }

  function chosen() {
    return data.models[Number(select.value)];
  }
  function row() {
    return chosen().tp.length - 1 - Number(slider.value);
  }
  function show() {
    var model = chosen(), at = row(), counts = cells(model, at);
    var before = model.reported;
    var score = at === before ? model.in_use : model.threshold[at];
    rule.textContent = score === null ? "No row is predicted positive."
      : "Positive when the score is at least " + threshold(score) + (at === before ? ", as reported." : ".");
    slider.setAttribute("aria-valuetext", rule.textContent);
    root.dataset.row = at;
    ["tp", "fp", "fn", "tn"].forEach(function (name, i) {
      root.querySelector('[data-count="' + name + '"]').textContent = count(counts[i]);
    });
    data.measures.forEach(function (measure) {
      var line = root.querySelector('[data-measure="' + measure.key + '"]');
      line.querySelector(".now").textContent = printed(measure, counts);
      line.querySelector(".then").textContent = before === null ? "–" : printed(measure, cells(model, before));
    });
    back.disabled = before === null || before === at;
  }
  function begin() {
    var model = chosen();
    slider.max = model.tp.length - 1;
    slider.value = model.tp.length - 1 - (model.reported === null ? 0 : model.reported);
    show();
  }
  select.parentNode.hidden = data.models.length < 2;
  select.addEventListener("change", begin);
  slider.addEventListener("input", show);
  back.addEventListener("click", begin);
  root.hidden = false;
  begin();
})();
