// The form that signs in: on the page of its own, and in the dialog over a page whose sign-in has ended.
//
// Plain DOM, because start.ts has no library. A real form with named fields, so that password managers work. The password is in the request
// to the login resource and nowhere else. Issuers are links: the way to them and back is the server's.

import type { SignIn } from '../api/operations.ts';
import texts from '../text/sign-in.en.json';

export interface SignInForm {
  element: HTMLFormElement;
  /** Kept when the server has accepted user and password. */
  done: Promise<void>;
  focus(): void;
}

type Issuer = SignIn['issuers'][number];

interface Options {
  /** The text above the fields. */
  lead?: string;
  /** The user, when it is known. */
  user?: string;
  /** What went wrong before. */
  trouble?: string | undefined;
  /** The address by HTTPS, where this page came without and the cookie would be lost. */
  secureAddress?: string | undefined;
}

export function signInForm({ lead = texts.lead, user = '', trouble, secureAddress }: Options): SignInForm {
  const form = made('form', { className: 'sign-in', method: 'post', action: '/ibmmq/rest/v3/login', noValidate: true });
  const name = made('input', { id: 'sign-in-user', name: 'username', autocomplete: 'username', value: user, required: true, spellcheck: false });
  name.setAttribute('autocapitalize', 'none');
  const password = made('input', { id: 'sign-in-password', name: 'password', type: 'password', autocomplete: 'current-password', required: true });
  const show = made('button', { type: 'button', className: 'sign-in-show', textContent: texts.show });
  show.setAttribute('aria-pressed', 'false');
  show.addEventListener('click', () => {
    const isShown = password.type === 'password';
    password.type = isShown ? 'text' : 'password';
    show.textContent = isShown ? texts.hide : texts.show;
    show.setAttribute('aria-pressed', String(isShown));
  });
  const problem = made('p', { className: 'sign-in-problem' });
  problem.setAttribute('role', 'alert');
  const submit = made('button', { type: 'submit', className: 'button primary', textContent: texts.submit });
  form.append(
    made('h1', { textContent: texts.title }), made('p', { className: 'sign-in-lead', textContent: lead }),
    field(name, texts.user), field(password, texts.password, show), problem, submit,
  );
  if (trouble !== undefined) problem.textContent = trouble;
  if (secureAddress !== undefined) {
    problem.textContent = texts.plain;
    problem.append(' ', made('a', { href: secureAddress, textContent: texts.secure }));
  }

  const done = new Promise<void>((accepted) => {
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (name.value === '' || password.value === '') {
        problem.textContent = texts.needs;
        (name.value === '' ? name : password).focus();
        return;
      }
      submit.disabled = true;
      submit.textContent = texts.busy;
      problem.textContent = '';
      const refusal = await signIn(name.value, password.value);
      submit.disabled = false;
      submit.textContent = texts.submit;
      if (refusal === undefined) {
        password.value = '';
        accepted();
        return;
      }
      problem.textContent = refusal;
      password.select();
      password.focus();
    });
  });
  return { element: form, done, focus: () => (name.value === '' ? name : password).focus() };
}

/**
 * Adds a link for each issuer that people sign in at, with the page that is come back to. `apart`: in another tab, so that the work on this page
 * is kept.
 */
export function offerIssuers(form: SignInForm, issuers: readonly Issuer[], { to, apart = false }: { to: string; apart?: boolean }): HTMLAnchorElement[] {
  const links = issuers.filter(({ path }) => path !== null).map(({ name, title, path }) => {
    const link = made('a', {
      className: 'button secondary', href: `${path}?to=${encodeURIComponent(to)}`, textContent: texts.with.replace('{title}', () => title ?? name),
    });
    link.dataset['issuer'] = name;
    if (apart) Object.assign(link, { target: '_blank', rel: 'noopener' });
    return link;
  });
  if (links.length === 0) return [];
  form.element.append(made('p', { className: 'sign-in-or', textContent: texts.or }), ...links);
  if (apart) form.element.append(made('p', { className: 'sign-in-hint', textContent: texts.apart }));
  return links;
}

/** Says that the sign-in has ended here and perhaps not at the issuer, and leads there. */
export function tellOfSignOut(form: SignInForm, issuer: Issuer): void {
  const told = made('p', { className: 'sign-in-out', textContent: texts.out.replace('{title}', () => issuer.title ?? issuer.name) });
  told.setAttribute('role', 'status');
  form.element.querySelector('.sign-in-lead')?.after(told);
  leadOut(told, issuer);
}

/** Leads out of an issuer that would give the user who has no role here again. */
export function offerOtherUser(form: SignInForm, issuer: Issuer): void {
  const problem = form.element.querySelector('.sign-in-problem');
  if (problem) leadOut(problem, issuer);
}

function leadOut(place: Element, { title, name, endSession }: Issuer): void {
  if (endSession !== null) place.append(' ', made('a', { href: endSession, textContent: texts.outThere.replace('{title}', () => title ?? name) }));
}

/** Signs in. Gives what was wrong, or undefined. */
async function signIn(username: string, password: string): Promise<string | undefined> {
  let answer: Response;
  try {
    answer = await fetch('/ibmmq/rest/v3/login', {
      method: 'POST', credentials: 'same-origin', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ username, password }),
    });
  } catch {
    return texts.unreachable;
  }
  if (answer.ok) return undefined;
  if (answer.status === 401) return texts.wrong;
  if (answer.status === 403) return texts.noRole;
  if (answer.status === 429) return texts.wait.replace('{seconds}', answer.headers.get('Retry-After') ?? '60');
  return texts.failed.replace('{status}', String(answer.status));
}

function field(input: HTMLInputElement, label: string, ...more: Element[]): HTMLElement {
  const row = made('div', { className: 'sign-in-field' });
  row.append(made('label', { htmlFor: input.id, textContent: label }), input, ...more);
  return row;
}

function made<Name extends keyof HTMLElementTagNameMap>(name: Name, members: Partial<HTMLElementTagNameMap[Name]>): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), members);
}
