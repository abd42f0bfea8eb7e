// Tables that sort by a click on a head, by the numbers behind the texts, and that can be
// filtered by words where they are long. Rows stay in their group.
(function () {
  "use strict";
  var SORTED = 3, FILTERED = 9; // least rows for either

  function enhance(table) {
    var bodies = Array.from(table.tBodies);
    var original = bodies.map(rowsOf);
    var rows = original.reduce(function (all, some) { return all.concat(some); }, []);
    if (rows.length >= SORTED) heads(table, bodies, original);
    if (rows.length >= FILTERED) filter(table, bodies, rows);
  }
  function rowsOf(body) {
    return Array.from(body.rows).filter(function (row) { return !row.classList.contains("group"); });
  }

  function heads(table, bodies, original) {
    var line = table.tHead.rows[table.tHead.rows.length - 1], columns = [];
    Array.from(line.cells).forEach(function (head, column) {
      if (!head.textContent.trim()) return;
      var button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append.apply(button, Array.from(head.childNodes));
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
      columns.push({ name: head.textContent.trim(), order: order });
      button.addEventListener("click", function () {
        order({ none: "ascending", ascending: "descending", descending: "none" }[head.getAttribute("aria-sort")]);
      });
      function order(next) {
        line.querySelectorAll("[aria-sort]").forEach(function (other) { other.setAttribute("aria-sort", "none"); });
        head.setAttribute("aria-sort", next);
        bodies.forEach(function (body, i) {
          body.append.apply(body, next === "none" ? original[i] : sorted(original[i], column, next === "descending" ? -1 : 1));
        });
      }
    });
    if (table.closest(".cards-on-phones")) choice(table, columns);
  }
  function choice(table, columns) { // where rows are cards, heads are not shown
    var label = document.createElement("label"), select = document.createElement("select");
    label.className = "order";
    select.append(new Option("as printed", ""));
    columns.forEach(function (column, place) {
      select.append(new Option(column.name + " ↑", place + " ascending"), new Option(column.name + " ↓", place + " descending"));
    });
    select.addEventListener("change", function () {
      var parts = select.value.split(" ");
      columns[parts[0] || 0].order(parts[1] || "none");
    });
    label.append("Order ", select);
    var scroll = table.closest(".scroll");
    scroll.parentNode.insertBefore(label, scroll);
  }
  function sorted(rows, column, sign) {
    return rows.map(function (row, place) {
      var cell = row.cells[column];
      var number = cell && cell.dataset.sort;
      return { row: row, place: place, number: number ? Number(number) : null, text: cell ? cell.textContent.trim() : "" };
    }).sort(function (a, b) {
      return compared(a, b, sign) || a.place - b.place;
    }).map(function (item) { return item.row; });
  }
  function compared(a, b, sign) { // numbers, then texts, then what is empty, in either order
    if (a.number !== null && b.number !== null) return sign * (a.number - b.number);
    if (a.number !== null || b.number !== null) return a.number !== null ? -1 : 1;
    if (!a.text || !b.text) return a.text ? -1 : b.text ? 1 : 0;
    return sign * a.text.localeCompare(b.text, document.documentElement.lang, { numeric: true });
  }

  function filter(table, bodies, rows) {
    var label = document.createElement("label"), input = document.createElement("input");
    var result = document.createElement("span");
    label.className = "filter";
    input.type = "search";
    result.setAttribute("role", "status");
    label.append("Filter rows ", input, " ", result);
    var scroll = table.closest(".scroll");
    scroll.parentNode.insertBefore(label, scroll);
    input.addEventListener("input", function () {
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean), left = 0;
      rows.forEach(function (row) {
        var group = row.parentNode.rows[0].classList.contains("group") ? row.parentNode.rows[0].textContent : "";
        var text = (group + " " + row.textContent).toLowerCase();
        row.hidden = !words.every(function (word) { return text.indexOf(word) >= 0; });
        if (!row.hidden) left += 1;
      });
      bodies.forEach(function (body) {
        body.hidden = rowsOf(body).every(function (row) { return row.hidden; });
      });
      result.textContent = words.length ? left + " of " + rows.length : "";
    });
  }

  function sideways() { // a line over each table that goes on beyond its frame
    document.querySelectorAll(".table > .scroll").forEach(function (scroll) {
      var before = scroll.previousElementSibling, line = before && before.classList.contains("sideways") ? before : null;
      var over = scroll.scrollWidth > scroll.clientWidth + 1;
      if (over === Boolean(line)) return;
      if (line) return line.remove();
      line = document.createElement("p");
      line.className = "sideways";
      line.textContent = "More columns: scroll sideways";
      scroll.before(line);
    });
  }

  document.querySelectorAll(".table table").forEach(enhance);
  window.addEventListener("resize", sideways);
  if (document.fonts) document.fonts.ready.then(sideways);
  sideways();
})();
