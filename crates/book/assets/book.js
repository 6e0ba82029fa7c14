// The book: theme, search, copied blocks, where the reader is on the page. Pages are whole without it, but for the search.
'use strict';

/** The console's settings: both have one theme. */
const STORED = 'quaymaster.settings';
const THEMES = ['system', 'light', 'dark'];
/** Most places that a search shows. */
const MOST = 40;

function readSettings() {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? '{}') ?? {};
  } catch {
    return {};
  }
}

function showTheme(theme) {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

showTheme(readSettings().theme);
addEventListener('DOMContentLoaded', () => {
  startTheme();
  startSearch();
  document.querySelectorAll('article pre').forEach(offerCopy);
  followHeadings();
  document.querySelector('#contents [aria-current]')?.scrollIntoView({ block: 'center', behavior: 'instant' });
});

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function startTheme() {
  const button = document.querySelector('#theme');
  const show = () => {
    const { theme = 'system' } = readSettings();
    button.textContent = { system: 'Auto', light: 'Light', dark: 'Dark' }[theme] ?? 'Auto';
    button.title = `Theme: ${theme}`;
    showTheme(theme);
  };
  button.addEventListener('click', () => {
    const settings = readSettings();
    settings.theme = THEMES[(THEMES.indexOf(settings.theme ?? 'system') + 1) % THEMES.length];
    try {
      localStorage.setItem(STORED, JSON.stringify(settings));
    } catch {
      // A browser that stores nothing keeps the system's theme.
    }
    show();
  });
  button.hidden = false;
  show();
}

// Search

let index;

/** Pages and finds, fetched once, when the reader first searches. */
async function fetchIndex() {
  const answer = await fetch('/docs/search.json');
  if (!answer.ok) throw new Error(`The search index cannot be read: status ${answer.status}.`);
  const { pages, finds } = await answer.json();
  return finds.map(([page, anchor, heading, key, text], order) => {
    const [address, title] = pages[page];
    return { order, address: `/docs/${address}#${anchor}`, title, heading, key, text, ...lowered({ title, heading, key, text }) };
  });
}

function lowered({ title, heading, key, text }) {
  return { low: { title: title.toLowerCase(), heading: heading.toLowerCase(), key: key.toLowerCase(), text: text.toLowerCase() } };
}

/** How well a word is found in a text: 3 as a word, 2 at the beginning of one, 1 within one. */
function found(text, word) {
  const isLetter = (letter) => letter !== undefined && /[\p{L}\p{N}_]/u.test(letter);
  let best = 0;
  for (let at = text.indexOf(word); at >= 0 && best < 3; at = text.indexOf(word, at + 1)) {
    const begins = !isLetter(text[at - 1]);
    const ends = !isLetter(text[at + word.length]);
    best = Math.max(best, begins && ends ? 3 : begins ? 2 : 1);
  }
  return best;
}

/** Zero where a word is missing. A row's key counts most, then headings, titles of pages, and text. */
function weigh({ low, key }, words) {
  let sum = 0;
  for (const word of words) {
    const inKey = low.key === word ? 30 : found(low.key, word) * 6;
    const inHeading = found(low.heading, word) * (key ? 1 : 4);
    const best = Math.max(inKey, inHeading, found(low.title, word) * (key ? 1 : 2), found(low.text, word));
    if (best === 0) return 0;
    sum += best;
  }
  return sum;
}

function lookFor(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const weighed = index.map((find) => [weigh(find, words), find]).filter(([weight]) => weight > 0);
  weighed.sort(([a, first], [b, second]) => b - a || first.order - second.order);
  return weighed.slice(0, MOST).map(([, find]) => ({ find, words }));
}

/** The text around the first word, with the words marked. */
function excerpt(text, words) {
  const low = text.toLowerCase();
  const first = Math.min(...words.map((word) => low.indexOf(word)).filter((at) => at >= 0), text.length);
  const start = first === text.length ? 0 : Math.max(0, first - 60);
  const shown = (start > 0 ? '… ' : '') + text.slice(start, start + 200) + (start + 200 < text.length ? ' …' : '');
  return marked(shown, words);
}

function marked(text, words) {
  const low = text.toLowerCase();
  const parts = [];
  let from = 0;
  while (from < text.length) {
    const next = words.map((word) => [low.indexOf(word, from), word.length]).filter(([at]) => at >= 0).sort(([a], [b]) => a - b)[0];
    if (!next) break;
    const [at, length] = next;
    parts.push(text.slice(from, at), element('mark', {}, text.slice(at, at + length)));
    from = at + length;
  }
  return [...parts, text.slice(from)];
}

function startSearch() {
  const input = element('input', { type: 'search', placeholder: 'Search: 2033, MAXDEPTH, runmqsc', autocomplete: 'off', spellcheck: false });
  const list = element('ul', { className: 'found', id: 'found', hidden: true });
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-label', 'Search the book');
  input.setAttribute('aria-controls', 'found');
  input.setAttribute('aria-expanded', 'false');
  list.setAttribute('role', 'listbox');
  document.querySelector('#search').append(input, element('kbd', { textContent: '/' }), list);
  let chosen = 0;

  const show = (isShown) => {
    list.hidden = !isShown;
    input.setAttribute('aria-expanded', String(isShown));
  };
  const choose = (place) => {
    const rows = list.querySelectorAll('[role=option]');
    chosen = Math.max(0, Math.min(rows.length - 1, place));
    rows.forEach((row, number) => row.setAttribute('aria-selected', String(number === chosen)));
    rows[chosen]?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    if (rows[chosen]) input.setAttribute('aria-activedescendant', rows[chosen].id);
    else input.removeAttribute('aria-activedescendant');
  };
  const search = async () => {
    const wanted = input.value.trim();
    if (wanted === '') return show(false);
    try {
      index ??= await fetchIndex();
    } catch (error) {
      list.replaceChildren(element('li', { className: 'none' }, error.message));
      return show(true);
    }
    if (input.value.trim() !== wanted) return undefined;
    const rows = lookFor(wanted).map(({ find, words }, number) => {
      const name = find.key || find.heading;
      const place = [find.title, find.key ? find.heading : ''].filter((part) => part && part !== name);
      const link = element('a', { href: find.address, tabIndex: -1 },
        element('small', {}, [...new Set(place)].join(' › ')), element('strong', {}, ...marked(name, words)), element('p', {}, ...excerpt(find.text, words)));
      const row = element('li', { id: `found-${number}` }, link);
      row.setAttribute('role', 'option');
      return row;
    });
    list.replaceChildren(...(rows.length > 0 ? rows : [element('li', { className: 'none' }, `Nothing is found for ${wanted}.`)]));
    list.scrollTop = 0;
    show(true);
    choose(0);
    return undefined;
  };

  input.addEventListener('input', () => void search());
  input.addEventListener('focus', () => void search());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Enter') list.querySelectorAll('[role=option] a')[chosen]?.click();
    else if (event.key === 'Escape') {
      if (list.hidden) input.blur();
      show(false);
    } else return;
    event.preventDefault();
  });
  list.addEventListener('click', () => {
    show(false);
    input.blur();
  });
  addEventListener('click', (event) => {
    if (!document.querySelector('#search').contains(event.target)) show(false);
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, textarea')) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  // An address such as /docs?q=2033 searches at once.
  const asked = new URLSearchParams(location.search).get('q');
  if (asked) {
    input.value = asked;
    input.focus();
  }
}

function offerCopy(block) {
  const button = element('button', { type: 'button', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  const frame = element('div', { className: 'copied' });
  block.replaceWith(frame);
  frame.append(block);
  if (navigator.clipboard) frame.append(button);
}

/** Marks the heading that the reader is at. */
function followHeadings() {
  const links = new Map([...document.querySelectorAll('.on-page a')].map((link) => [link.hash.slice(1), link.parentElement]));
  if (links.size === 0) return;
  const headings = [...links.keys()].map((anchor) => document.getElementById(decodeURIComponent(anchor))).filter(Boolean);
  const follow = () => {
    const here = headings.findLast((heading) => heading.getBoundingClientRect().top < 120) ?? headings[0];
    links.forEach((item, anchor) => item.classList.toggle('is-here', anchor === here.id));
  };
  addEventListener('scroll', follow, { passive: true });
  follow();
}
