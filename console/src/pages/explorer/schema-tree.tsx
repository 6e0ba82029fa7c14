// A schema as nested lists: members with their types and sentences, and the shapes of a choice.

import { t } from '../../text.ts';
import { resolve, type Schema, typeOf, typeText } from '../try/schema.ts';
import { Prose } from './operation.tsx';

/** A schema that holds itself ends here. */
const DEEPEST = 6;

export function SchemaTree({ source, schema, depth = 0 }: { source: unknown; schema: Schema; depth?: number }) {
  const whole = resolve(source, schema);
  const choices = whole.oneOf ?? whole.anyOf;
  if (depth > DEEPEST) return <p class="quiet">…</p>;
  if (choices) {
    return (
      <ul class="schema-tree">
        {choices.map((choice, index) => (
          <li key={index}>
            <span class="quiet">{t('explorer.shape', { number: index + 1 })}</span> <Line source={source} schema={choice} />
            <SchemaTree source={source} schema={choice} depth={depth + 1} />
          </li>
        ))}
      </ul>
    );
  }
  if (typeOf(whole) === 'array' && whole.items) {
    return (
      <ul class="schema-tree">
        <li><span class="quiet">{t('explorer.each')}</span> <Line source={source} schema={whole.items} /><SchemaTree source={source} schema={whole.items} depth={depth + 1} /></li>
      </ul>
    );
  }
  const members = Object.entries(whole.properties ?? {});
  const others = typeof whole.additionalProperties === 'object' ? whole.additionalProperties : undefined;
  if (members.length === 0 && !others) return depth === 0 ? <p class="schema-tree"><Line source={source} schema={whole} /></p> : null;
  return (
    <ul class="schema-tree">
      {members.map(([name, member]) => (
        <li key={name}>
          <code>{name}</code>{whole.required?.includes(name) ? ' *' : ''} <Line source={source} schema={member} />
          <Nested source={source} schema={member} depth={depth + 1} />
        </li>
      ))}
      {others && <li><span class="quiet">{t('explorer.others')}</span> <Line source={source} schema={others} /><Nested source={source} schema={others} depth={depth + 1} /></li>}
    </ul>
  );
}

function Nested({ source, schema, depth }: { source: unknown; schema: Schema; depth: number }) {
  const whole = resolve(source, schema);
  const hasMore = whole.properties || whole.oneOf || whole.anyOf || (typeOf(whole) === 'array' && whole.items && resolve(source, whole.items).properties) || typeof whole.additionalProperties === 'object';
  return hasMore ? <SchemaTree source={source} schema={whole} depth={depth} /> : null;
}

function Line({ source, schema }: { source: unknown; schema: Schema }) {
  const whole = resolve(source, schema);
  const items = typeOf(whole) === 'array' && whole.items ? ` of ${typeText(resolve(source, whole.items))}` : '';
  return (
    <>
      <span class="schema-type">{typeText(whole)}{items}</span>
      {whole.enum && <span class="quiet"> {whole.enum.map(String).join(' | ')}</span>}
      {whole.description && <> <Prose text={whole.description} /></>}
    </>
  );
}
