// The properties of a queue: every attribute by groups, and those that were edited as one ALTER.
//
// What is shown is the answer of DISPLAY. An edit stays when the page is looked at again, until it is applied or given up.

import { type Signal, signal } from '@preact/signals';
import { useMemo, useRef, useState } from 'preact/hooks';
import { type Attributes, display } from '../../api/mqsc.ts';
import { may } from '../../api/session.ts';
import { propose } from '../../change/change.ts';
import type { QueueTabProps } from '../../pages.ts';
import { type Asked, useAsked } from '../../parts/asked.ts';
import { Button } from '../../parts/button.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { t } from '../../text.ts';
import { GROUPS, type Kind, NO_PROPERTIES, valueText } from './attributes.ts';
import { alter, Editor, labelOf } from './editor.tsx';

export default function QueueProperties({ qmgr, row, changed }: QueueTabProps) {
  const asked = useAsked(`${qmgr} ${row.name}`, async (signal) => (await display(qmgr, 'queue', row.name, ['all'], signal))[0] ?? {});
  if (asked.error !== undefined && !asked.answer) return <Failed error={asked.error} again={asked.again} />;
  if (!asked.answer) return <Loading />;
  return <Form qmgr={qmgr} row={row} asked={asked} stored={asked.answer} changed={changed} />;
}

function Form({ qmgr, row, asked, stored, changed }: QueueTabProps & { asked: Asked<Attributes>; stored: Attributes }) {
  const edits = useMemo(() => new Map<string, Signal<string>>(), [row.name]);
  const [find, setFind] = useState('');
  const isApplied = useRef(false);
  const before = useRef(stored);
  // A field that was not edited follows what is stored; after a change all of them do.
  if (before.current !== stored) {
    for (const [keyword, value] of edits) {
      if (isApplied.current || value.peek() === String(before.current[keyword] ?? '')) value.value = String(stored[keyword] ?? '');
    }
    before.current = stored;
    isApplied.current = false;
  }
  const isReadOnly = !may.value.change || stored['deftype'] === 'TEMPDYN';
  const valueOf = (keyword: string): Signal<string> => {
    const known = edits.get(keyword);
    if (known) return known;
    const made = signal(String(stored[keyword] ?? ''));
    edits.set(keyword, made);
    return made;
  };
  const isChanged = (keyword: string) => edits.has(keyword) && edits.get(keyword)?.value !== String(stored[keyword] ?? '');
  // A signal for each, before any is read: the form is drawn again whichever is edited.
  for (const keyword of Object.keys(stored)) valueOf(keyword);
  const changedKeywords = [...edits.keys()].filter(isChanged);

  function giveUp(): void {
    for (const [keyword, value] of edits) value.value = String(stored[keyword] ?? '');
  }

  async function apply(): Promise<void> {
    const values = Object.fromEntries(changedKeywords.map((keyword) => [keyword, edits.get(keyword)?.value ?? '']));
    const isDone = await propose({
      title: t('queue.change', { queue: row.name }), qmgr, done: t('queue.changed', { queue: row.name }),
      children: <Differences stored={stored} changes={Object.entries(values)} />, steps: [{ mqsc: alter(row, values) }],
    });
    if (!isDone) return;
    isApplied.current = true;
    asked.again();
    changed();
  }

  const known = new Set(GROUPS.flatMap(({ attributes }) => Object.keys(attributes)));
  const others = Object.keys(stored).filter((keyword) => !known.has(keyword) && !NO_PROPERTIES.has(keyword));
  const fits = (keyword: string) => `${keyword} ${labelOf(keyword)}`.toLowerCase().includes(find.toLowerCase());
  const groups = [...GROUPS, { group: 'others' as const, attributes: Object.fromEntries(others.map((keyword) => [keyword, { kind: 'fixed' } as Kind])) }];
  return (
    <form
      class="properties"
      onSubmit={(event) => {
        event.preventDefault();
        if (changedKeywords.length > 0) void apply();
      }}
    >
      <div class="toolbar">
        <input class="properties-find" type="search" placeholder={t('queue.findProperty')} aria-label={t('queue.findProperty')} value={find} data-filter onInput={(event) => setFind(event.currentTarget.value)} />
        {isReadOnly && <p class="quiet">{t('queue.readOnly')}</p>}
      </div>
      {groups.map(({ group, attributes }) => {
        const shown = Object.entries(attributes).filter(([keyword]) => keyword in stored && fits(keyword));
        if (shown.length === 0) return null;
        return (
          <fieldset key={group} class="property-group">
            <legend>{t(`group.${group}`)}</legend>
            <div class="fields">
              {shown.map(([keyword, kind]) => (
                <Editor key={keyword} keyword={keyword} kind={isReadOnly ? { kind: 'fixed' } : kind} stored={stored[keyword]} value={valueOf(keyword)} isChanged={isChanged(keyword)} />
              ))}
            </div>
          </fieldset>
        );
      })}
      {changedKeywords.length > 0 && (
        <div class="selection" role="region" aria-label={t('queue.changes')}>
          <p>{t('queue.changedCount', { count: changedKeywords.length })}</p>
          <div class="selection-actions">
            <Button kind="plain" onClick={giveUp}>{t('queue.giveUp')}</Button>
            <Button kind="primary" submit>{t('queue.review')}</Button>
          </div>
        </div>
      )}
    </form>
  );
}

/** What changes, from and to. */
function Differences({ stored, changes }: { stored: Attributes; changes: readonly (readonly [string, string])[] }) {
  return (
    <table class="plain-table">
      <thead>
        <tr><th scope="col">{t('queue.property')}</th><th scope="col">{t('queue.from')}</th><th scope="col">{t('queue.to')}</th></tr>
      </thead>
      <tbody>
        {changes.map(([keyword, next]) => (
          <tr key={keyword}><th scope="row">{labelOf(keyword)}</th><td>{valueText(keyword, stored[keyword])}</td><td>{valueText(keyword, next)}</td></tr>
        ))}
      </tbody>
    </table>
  );
}
