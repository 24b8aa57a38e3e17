// Runs the script of a report without a browser: every piece of HTML that it makes is printed, as a JSON list.
const fs = require("fs"), vm = require("vm");
const text = fs.readFileSync(process.argv[2], "utf8");
const data = text.split('type="application/json">')[1].split("</script>")[0];
const script = text.slice(text.lastIndexOf("<script>") + 8, text.lastIndexOf("</script>"));
const made = [];
function element() {
  return {
    dataset: {}, style: {}, classList: { add() {}, toggle() {} }, id: "x",
    set innerHTML(html) { made.push(html); }, get innerHTML() { return "inner"; },
    insertAdjacentHTML(_, html) { made.push(html); },
    addEventListener() {}, querySelector: () => element(), closest: () => null,
  };
}
const document = {
  documentElement: element(), getElementById: () => ({ textContent: data }), querySelector: () => element(),
  querySelectorAll: () => [element()], addEventListener() {}, createElement: element,
};
const scope = { document, localStorage: { getItem: () => null }, location: { hash: "" }, innerWidth: 1280, matchMedia: () => ({ matches: false }), addEventListener() {}, console };
vm.runInNewContext(script + "\nfor (const t of Object.keys(D.families)) ELEMENTS.push(recipeTable({name: t, title: t, family: D.families[t], tasks: [t]}));", { ...scope, ELEMENTS: made });
console.log(JSON.stringify(made));
