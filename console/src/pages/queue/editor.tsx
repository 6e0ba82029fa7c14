// The input for one attribute of a queue, by what it may be; and the change of a single one.

import { type Signal, signal } from '@preact/signals';
import { type Attributes, keywords, object } from '../../api/mqsc.ts';
import { propose } from '../../change/change.ts';
import { Field, Select } from '../../parts/field.tsx';
import { t, textOf } from '../../text.ts';
import { GROUPS, type Kind, valueText } from './attributes.ts';
import { qualifier } from './qualifier.ts';
import type { QueueRow } from './row.ts';

interface EditorProps {
  keyword: string;
  kind: Kind;
  /** What is stored. */
  stored: string | number | undefined;
  value: Signal<string>;
  isChanged?: boolean;
}

export function Editor({ keyword, kind, stored, value, isChanged = false }: EditorProps) {
  const label = labelOf(keyword);
  const hint = keyword.toUpperCase();
  switch (kind.kind) {
    case 'fixed': {
      const text = valueText(keyword, stored);
      return (
        <div class="field is-fixed">
          <span class="field-label">{label}</span>
          <span class="field-value" title={text}>{text}</span>
          <span class="field-hint">{hint}</span>
        </div>
      );
    }
    case 'choice': {
      const options = [...new Set([...kind.values, String(stored ?? '')])];
      return <Select label={label} hint={hint} value={value} isChanged={isChanged} options={options.map((one) => [one, valueText(keyword, one)])} />;
    }
    case 'number':
      return <Field label={label} hint={hint} type="number" min={kind.min} max={kind.max} required value={value} isChanged={isChanged} />;
    case 'text':
    case 'name':
    case 'word':
      return <Field label={label} hint={hint} maxLength={kind.length} value={value} isChanged={isChanged} />;
  }
}

/** Changes one attribute: the field and the command in one dialog. Resolves to whether it was done. */
export function changeAttribute(qmgr: string, row: QueueRow, keyword: string, stored: Attributes): Promise<boolean> {
  const kind = kindOf(keyword);
  const value = signal(String(stored[keyword] ?? ''));
  return propose({
    title: t('queue.change', { queue: row.name }), qmgr, done: t('queue.changed', { queue: row.name }),
    children: <div class="fields"><Editor keyword={keyword} kind={kind} stored={stored[keyword]} value={value} /></div>,
    isReady: () => value.value !== String(stored[keyword] ?? ''),
    steps: () => [{ mqsc: alter(row, { [keyword]: value.value }) }],
  });
}

/** The command that changes these attributes. */
export function alter(row: QueueRow, values: Record<string, string>): string {
  const written = Object.fromEntries(Object.entries(values).map(([keyword, value]) => [keyword, asValue(kindOf(keyword), value)]));
  return `ALTER ${object(qualifier(row.type), row.name)} ${keywords(written)}`;
}

export function kindOf(keyword: string): Kind {
  for (const { attributes } of GROUPS) {
    const kind = attributes[keyword];
    if (kind) return kind;
  }
  return { kind: 'fixed' };
}

export function labelOf(keyword: string): string {
  return textOf(`attribute.${keyword}`) ?? keyword.toUpperCase();
}

/** Words and numbers stand as they are; texts and names between apostrophes. */
function asValue(kind: Kind, value: string): string | { text: string } {
  return kind.kind === 'text' || kind.kind === 'name' ? { text: value } : value;
}
