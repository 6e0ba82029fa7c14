// A viewer of OpenAPI documents: operations in groups that can be searched, each with its parameters, schemas and a call.
//
// It draws with the console's own parts under the policy of the page: nothing inline, no eval, no HTML out of a document. The open operation
// is in the address (`?op=`).

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { route, setQuery } from '../../router.ts';
import { t } from '../../text.ts';
import { type ApiOperation, found, type OpenDocument } from './document.ts';
import { Operation } from './operation.tsx';

export interface ViewerProps {
  document: OpenDocument;
  /** Values of parameters at first, by name. */
  values: Readonly<Record<string, string>>;
}

export function Viewer({ document, values }: ViewerProps) {
  const search = useSignal('');
  const detail = useRef<HTMLDivElement>(null);
  const groups = found(document, search.value);
  const all = document.groups.flatMap(({ operations }) => operations);
  const wanted = route.value?.query.get('op');
  const open = all.find(({ id }) => id === wanted) ?? (all.length === 1 ? all[0] : undefined);
  useEffect(() => {
    detail.current?.scrollTo(0, 0);
  }, [open?.id]);

  function move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const links = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('.operation-link')];
    const target = links[links.indexOf(event.target as HTMLElement) + step];
    if (!target) return;
    event.preventDefault();
    target.focus();
  }

  return (
    <div class={open ? 'viewer is-open' : 'viewer'}>
      <nav class="viewer-list" aria-label={t('explorer.operations')} onKeyDown={move}>
        <input
          type="search" data-filter aria-label={t('explorer.find')} placeholder={t('explorer.find')} value={search.value} spellcheck={false} autocomplete="off"
          onInput={(event) => (search.value = event.currentTarget.value)}
        />
        <p class="heard" role="status">{t('explorer.found', { count: groups.reduce((sum, { operations }) => sum + operations.length, 0) })}</p>
        {groups.map(({ name, description, operations }) => (
          <section key={name} aria-label={name}>
            {document.groups.length > 1 && <h2 title={description}>{name} <span class="quiet">{operations.length}</span></h2>}
            <ul>{operations.map((operation) => <Entry key={operation.id} operation={operation} isOpen={operation === open} />)}</ul>
          </section>
        ))}
        {groups.length === 0 && <p class="quiet">{t('search.none', { text: search.value })}</p>}
      </nav>
      <div ref={detail} class="viewer-detail" tabIndex={0} role="region" aria-label={open ? open.summary || open.path : document.title}>
        {open ? <Operation key={open.id} operation={open} source={document.source} values={values} /> : <About document={document} />}
      </div>
    </div>
  );
}

function Entry({ operation: { id, method, path, summary }, isOpen }: { operation: ApiOperation; isOpen: boolean }) {
  return (
    <li>
      <button type="button" class="operation-link" aria-current={isOpen ? 'true' : undefined} title={`${method} ${path}`} onClick={() => setQuery({ op: id }, { replace: false })}>
        <Method method={method} />
        <span class="operation-name">{summary || path}</span>
      </button>
    </li>
  );
}

export function Method({ method }: { method: string }) {
  return <span class={`method is-${method.toLowerCase()}`}>{method === 'DELETE' ? 'DEL' : method}</span>;
}

function About({ document: { title, version, groups } }: { document: OpenDocument }) {
  return (
    <div class="viewer-about">
      <p class="state-title">{title} {version}</p>
      <dl class="facts">
        {groups.map(({ name, description, operations }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{description} <span class="quiet">{t('explorer.found', { count: operations.length })}</span></dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
