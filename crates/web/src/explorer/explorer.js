// The explorer: lists what /openapi.json describes and sends what the forms hold. Talks to its own server only.
"use strict";

const CSRF = "ibm-mq-rest-csrf-token";
const LOGIN = "/ibmmq/rest/v2/login";
const METHODS = ["get", "put", "post", "delete", "patch", "head", "options"];
const byId = id => document.getElementById(id);

/** An element with properties, a class and children. */
function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

/** Text whose parts between backticks are code. */
function prose(text) {
  return (text || "").split("`").map((part, index) => index % 2 ? element("code", { textContent: part }) : part);
}

/** What a reference within the document leads to; anything else is itself, and nothing an empty object. */
function resolved(api, value) {
  if (typeof value?.$ref !== "string") return value || {};
  const names = value.$ref.split("/").slice(1).map(name => decodeURIComponent(name).replace(/~1/g, "/").replace(/~0/g, "~"));
  return names.reduce((here, name) => here?.[name], api) || {};
}

/** HTTP basic credentials of the form at the top; none once a login has given a cookie. */
function credentials() {
  const user = byId("user").value, password = byId("password").value;
  if (!user || byId("credentials").dataset.cookie === "yes") return {};
  const bytes = new TextEncoder().encode(user + ":" + password);
  return { Authorization: "Basic " + btoa(String.fromCharCode(...bytes)) };
}

async function logIn(event) {
  event.preventDefault();
  const who = byId("who"), form = byId("credentials");
  const body = JSON.stringify({ username: byId("user").value, password: byId("password").value });
  form.dataset.cookie = "no";
  try {
    const answer = await fetch(LOGIN, { method: "POST", headers: { "Content-Type": "application/json", [CSRF]: "x" }, body });
    if (!answer.ok) { who.textContent = "refused: " + answer.status; return; }
    // Over plain HTTP there is no cookie: requests then carry the credentials themselves.
    const shown = await fetch(LOGIN);
    if (shown.ok) form.dataset.cookie = "yes";
    const again = shown.ok ? shown : await fetch(LOGIN, { headers: credentials() });
    const user = (await again.json()).user[0];
    who.textContent = user.name + " (" + user.role.join(", ") + ")";
  } catch (problem) { who.textContent = String(problem); }
}

async function logOut() {
  await fetch(LOGIN, { method: "DELETE", headers: { ...credentials(), [CSRF]: "x" } });
  byId("credentials").reset();
  byId("credentials").dataset.cookie = "no";
  byId("who").textContent = "not logged in";
}

/** An input that fits a schema. */
function input(schema, id) {
  const first = schema.default ?? "";
  if (schema.type === "boolean") schema = { ...schema, enum: ["true", "false"] };
  if (schema.enum) {
    const select = element("select", { id });
    if (first === "") select.append(element("option", { value: "", textContent: "" }));
    schema.enum.forEach(value => select.append(element("option", { value, textContent: value })));
    select.value = first;
    return select;
  }
  const made = element("input", { id, spellcheck: false, autocomplete: "off", value: first });
  if (schema.type === "number") Object.assign(made, { type: "number", step: "any" });
  if (schema.type === "integer") Object.assign(made, { type: "number", min: schema.minimum ?? "", max: schema.maximum ?? "" });
  return made;
}

/** The table of parameters; `fields` gathers each with its input. */
function parameterTable(api, parameters, id, fields) {
  const table = element("table");
  parameters.forEach((parameter, index) => {
    const field = input(resolved(api, parameter.schema), id + "-" + index);
    if (parameter.in === "path") {
      field.required = true;
      if (parameter.name === "version") field.value = parameter.schema.enum.at(-1);
      if (parameter.name === "qmgr") field.value = "QM1";
    }
    fields.push([parameter, field]);
    const where = parameter.in + (parameter.required ? ", required" : "") + (parameter["x-extension"] ? ", own extension" : "");
    table.append(element("tr", {},
      element("th", { scope: "row" }, element("label", { htmlFor: field.id, textContent: parameter.name }), element("small", { textContent: where })),
      element("td", {}, ...prose(parameter.description)),
      element("td", { className: "value" }, field)));
  });
  return table;
}

/** A value that fits a schema: the members it names, each with the least it may be. */
function sample(api, schema, depth = 0) {
  const one = resolved(api, schema);
  if (one.example !== undefined) return one.example;
  if (one.default !== undefined) return one.default;
  if (one.enum) return one.enum[0];
  if (depth > 12) return null;
  switch (Array.isArray(one.type) ? one.type[0] : one.type) {
    case "object": return Object.fromEntries(Object.entries(one.properties || {})
      .map(([name, member]) => [name, sample(api, member, depth + 1)]));
    case "array": return Array.from({ length: Math.min(one.minItems ?? 1, 3) }, () => sample(api, one.items, depth + 1));
    case "integer": case "number": return Math.max(0, one.minimum ?? 0);
    case "boolean": return false;
    default: return "";
  }
}

/** Examples of a body: of the schema itself, or of each alternative; else one made from what the schema names. */
function examples(api, schema) {
  const whole = resolved(api, schema);
  const known = (whole.oneOf || [whole]).map(one => resolved(api, one)).filter(one => one.example)
    .map(one => [one.description || "Example", JSON.stringify(one.example, null, 2)]);
  if (known.length || whole.type !== "object") return known;
  return [["Example", JSON.stringify(sample(api, whole), null, 2)]];
}

/** A body that is a file, such as an archive. */
function fileChooser(type, required, id) {
  const file = element("input", { type: "file", id: id + "-body", required });
  const box = element("div", {},
    element("h3", { textContent: required ? "Body" : "Body, if there is one" }),
    element("div", { className: "row" }, element("label", { htmlFor: file.id, textContent: type }), file));
  return { box, type: () => file.files.length ? type : null, value: () => file.files[0] };
}

/** Media type and text of the body. */
function bodyEditor(api, described, id) {
  const types = Object.keys(described.content);
  if (described.content[types[0]].schema?.format === "binary") return fileChooser(types[0], described.required, id);
  const type = element("select", { id: id + "-type" }, ...types.map(value => element("option", { value, textContent: value })));
  const text = element("textarea", { id: id + "-body", spellcheck: false });
  const known = examples(api, described.content[types[0]].schema);
  if (known.length) text.value = known[0][1];
  const choose = known.length < 2 ? [] : known.map(([title, example]) => {
    const button = element("button", { type: "button", textContent: title.replace(/\..*/s, "") });
    button.addEventListener("click", () => { text.value = example; });
    return button;
  });
  const box = element("div", {},
    element("h3", { textContent: "Body" }),
    element("div", { className: "row" }, element("label", { htmlFor: type.id, textContent: "Media type" }), type, ...choose),
    element("label", { htmlFor: text.id, className: "quiet", textContent: "Text" }), text);
  return { box, type: () => type.value, value: () => text.value };
}

function answerTable(api, responses) {
  const table = element("table", { className: "answers" });
  Object.entries(responses).forEach(([status, answer]) => table.append(element("tr", {},
    element("th", { scope: "row", textContent: status }), element("td", {}, ...prose(resolved(api, answer).description)))));
  return table;
}

/** Path, query and headers that the fields stand for. */
function request(path, fields) {
  const query = new URLSearchParams(), headers = {};
  let url = path;
  for (const [parameter, field] of fields) {
    const value = field.value;
    if (parameter.in === "path") {
      const parts = parameter.name === "topic" ? value.split("/") : [value];
      url = url.replace("{" + parameter.name + "}", parts.map(encodeURIComponent).join("/"));
    } else if (parameter.in === "header" && (value !== "" || parameter.required)) {
      headers[parameter.name] = value;
    } else if (parameter.in === "query" && value !== "") {
      query.set(parameter.name, value);
    }
  }
  return [url + (query.toString() ? "?" + query : ""), headers];
}

/** JSON with line breaks; any other text as it is. */
function readable(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

async function send(method, url, headers, body, result) {
  const [status, head, text] = result.children;
  result.hidden = false;
  status.replaceChildren("…");
  const started = performance.now();
  try {
    const answer = await fetch(url, { method, headers: { ...credentials(), ...headers }, body });
    const content = await answer.text(), took = performance.now() - started;
    status.replaceChildren(
      element("strong", { className: answer.ok ? "good" : "bad", textContent: answer.status + " " + answer.statusText }),
      element("span", { className: "quiet", textContent: took.toFixed(1) + " ms, " + content.length + " characters" }),
      element("code", { textContent: method + " " + url }));
    head.textContent = [...answer.headers].map(([name, value]) => name + ": " + value).join("\n");
    text.textContent = readable(content);
    text.hidden = content === "";
  } catch (problem) {
    status.replaceChildren(element("strong", { className: "bad", textContent: String(problem) }));
    head.textContent = text.textContent = "";
  }
}

/** What an operation's box holds, made when it is opened for the first time. */
function inside(api, path, method, described) {
  const id = described.operationId, fields = [];
  const form = element("form", { className: "inside" });
  if (described.description) form.append(element("p", {}, ...prose(described.description)));
  const roles = described["x-roles"];
  if (roles) {
    const who = roles.length ? "Open to " + roles.join(", ") + "." : "Open to every user who is logged in.";
    form.append(element("p", { className: "quiet", textContent: who }));
  }
  const parameters = described.parameters || [];
  if (parameters.length) {
    form.append(element("div", {}, element("h3", { textContent: "Parameters" }), parameterTable(api, parameters, id, fields)));
  }
  const body = Object.keys(described.requestBody?.content || {}).length ? bodyEditor(api, described.requestBody, id) : null;
  if (body) form.append(body.box);
  form.append(element("div", {}, element("h3", { textContent: "Answers" }), answerTable(api, described.responses)));
  const result = element("div", { className: "result", hidden: true },
    element("div", { className: "status" }), element("pre", {}), element("pre", {}));
  result.firstChild.setAttribute("role", "status");
  form.append(element("div", { className: "row" }, element("button", { type: "submit", textContent: "Send" })), result);
  form.addEventListener("submit", event => {
    event.preventDefault();
    const [url, headers] = request(path, fields);
    if (body && body.type()) headers["Content-Type"] = body.type();
    send(method.toUpperCase(), url, headers, body ? body.value() : undefined, result);
  });
  return form;
}

function operation(api, path, method, described) {
  const roles = described["x-roles"];
  const marks = element("span", { className: "marks" },
    described["x-extension"] ? element("span", { className: "mark", textContent: "own extension" }) : null,
    roles ? element("span", { className: "mark", title: roles.join(", "), textContent: roles.length > 2 ? roles.length + " roles" : roles.join(", ") || "any user" }) : null);
  const box = element("details", { className: "operation", id: described.operationId },
    element("summary", {},
      element("span", { className: "method " + method, textContent: method.toUpperCase() }),
      element("span", { className: "path", textContent: path }), marks,
      element("span", { className: "text", textContent: described.summary || described.description || "" })));
  box.addEventListener("toggle", () => {
    if (box.open && box.children.length === 1) box.append(inside(api, path, method, described));
  });
  return box;
}

/** A line of the index on the left, which opens its operation. */
function indexEntry(path, described, method, box) {
  const link = element("a", { href: "#" + encodeURIComponent(described.operationId) },
    element("span", { className: "method " + method, textContent: method.toUpperCase() }),
    element("span", { textContent: described.summary || path }));
  link.addEventListener("click", () => { box.open = true; });
  return element("li", {}, link);
}

/** The operations of a path. Documents that people bring have more than methods there, and references where others have the thing itself. */
function operations(api, path, item) {
  const known = Object.entries(item || {}).filter(([method, one]) => METHODS.includes(method) && one && typeof one === "object");
  return known.map(([method, one]) => {
    const parameters = [...(item.parameters || []), ...(one.parameters || [])].map(each => resolved(api, each));
    const requestBody = one.requestBody && resolved(api, one.requestBody);
    return { path, method, described: { tags: [], responses: {}, ...one, parameters, requestBody } };
  });
}

function show(api) {
  byId("version").textContent = api.info.version;
  const all = Object.entries(api.paths).flatMap(([path, item]) => operations(api, path, item));
  const entries = [], sections = [], lists = [];
  for (const { name, description } of api.tags) {
    const list = element("ul");
    const title = name.replace("-", " ");
    const section = element("section", { id: "tag-" + name },
      element("h2", { textContent: title }), element("p", { textContent: description }));
    for (const { path, method, described } of all.filter(one => one.described.tags.includes(name))) {
      const box = operation(api, path, method, described), entry = indexEntry(path, described, method, box);
      const words = [path, method, described.summary, name, ...(described["x-roles"] || [])].join(" ").toLowerCase();
      entries.push({ box, entry, words });
      section.append(box);
      list.append(entry);
    }
    const group = element("div", {}, element("h2", { textContent: title }), list);
    sections.push(section);
    lists.push(group);
  }
  byId("operations").replaceChildren(...sections);
  byId("index").replaceChildren(...lists);
  byId("filter").addEventListener("input", event => filter(event.target.value, entries, sections, lists));
  openNamed();
}

/** Leaves what holds every word of the text. */
function filter(text, entries, sections, lists) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { box, entry, words } of entries) {
    box.hidden = entry.hidden = !wanted.every(word => words.includes(word));
  }
  sections.forEach((section, index) => {
    const empty = ![...section.querySelectorAll("details")].some(box => !box.hidden);
    section.hidden = lists[index].hidden = empty;
  });
}

/** Opens the operation that the address names. */
function openNamed() {
  const named = location.hash ? byId(decodeURIComponent(location.hash.slice(1))) : null;
  if (named && named.tagName === "DETAILS") { named.open = true; named.scrollIntoView(); }
}

byId("credentials").addEventListener("submit", logIn);
byId("logout").addEventListener("click", logOut);
addEventListener("hashchange", openNamed);
fetch("/openapi.json").then(answer => answer.json()).then(show)
  .catch(problem => byId("operations").replaceChildren(element("p", { className: "bad", textContent: String(problem) })));
