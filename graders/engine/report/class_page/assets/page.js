// Makes the tables sortable and the one of students searchable, and opens everything for print. The page is whole without.
"use strict";

const PAGE = 50;
const words = {
  search: "Search the students:", lengthMenu: "_MENU_ on a page", info: "_START_ to _END_ of _TOTAL_ students",
  infoEmpty: "no student", infoFiltered: "(of _MAX_)", zeroRecords: "Nobody is like that.",
};

const tables = [];
const sortable = document.querySelectorAll("table.sortable");
const searchable = document.querySelectorAll("table.searchable");
try {
  for (const table of sortable) {
    new DataTable(table, { paging: false, searching: false, info: false, order: [], autoWidth: false });
  }
  for (const table of searchable) {
    tables.push(new DataTable(table, {
      pageLength: PAGE, lengthMenu: [PAGE, 200, { label: "all", value: -1 }], order: [], autoWidth: false, language: words,
      layout: { topStart: "search", topEnd: "pageLength", bottomStart: "info", bottomEnd: "paging" },
    }));
  }
} finally {
  // Until now the style sheet keeps thousands of rows from being laid out, of which a page will show fifty.
  for (const table of searchable) table.classList.add("ready");
}

let closed = [];
window.addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const one of closed) one.open = true;
  for (const table of tables) table.page.len(-1).draw(false);
});
window.addEventListener("afterprint", () => {
  for (const one of closed) one.open = false;
  for (const table of tables) table.page.len(PAGE).draw(false);
});
