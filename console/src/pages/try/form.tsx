// A form made from a JSON schema: an input a member, a group an object, lines of a list. What it cannot draw is written as JSON.

import { useId } from 'preact/hooks';
import { Button, IconButton } from '../../parts/button.tsx';
import { t } from '../../text.ts';
import { type Json, type Path, resolve, sample, type Schema, typed, typeOf, typeText, valueAt, withValue } from './schema.ts';

interface FormProps {
  document: unknown;
  schema: Schema;
  value: Json | undefined;
  onValue(value: Json | undefined): void;
}

/** Groups within groups are drawn to this depth. */
const DEEPEST = 5;

export function SchemaForm(props: FormProps) {
  return (
    <div class="schema-form fields">
      <Part {...props} path={[]} name="" isRequired={false} />
    </div>
  );
}

function Part({ path, name, isRequired, ...form }: FormProps & { path: Path; name: string; isRequired: boolean }) {
  const schema = resolve(form.document, form.schema);
  const type = typeOf(schema);
  if (type === 'object' && schema.properties && path.length < DEEPEST) {
    const members = Object.entries(schema.properties).map(([member, of]) => (
      <Part key={member} {...form} schema={of} path={[...path, member]} name={member} isRequired={schema.required?.includes(member) ?? false} />
    ));
    if (path.length === 0) return <>{members}</>;
    return (
      <fieldset class="schema-group is-wide">
        <legend>{name}</legend>
        <div class="fields">{members}</div>
      </fieldset>
    );
  }
  if (type === 'array' && schema.items && path.length < DEEPEST) return <Lines {...form} schema={schema} path={path} name={name} isRequired={isRequired} />;
  return <Input {...form} schema={schema} path={path} name={name} isRequired={isRequired} />;
}

function Lines({ path, name, isRequired, ...form }: FormProps & { path: Path; name: string; isRequired: boolean }) {
  const { items = {}, maxItems = Infinity } = form.schema;
  const now = valueAt(form.value, path);
  const list = Array.isArray(now) ? now : [];
  return (
    <fieldset class="schema-group is-wide">
      <legend>{name}{isRequired ? ' *' : ''} <span class="quiet">{typeText(form.schema)}</span></legend>
      {list.map((_, index) => (
        <div key={index} class="schema-line">
          <Part {...form} schema={items} path={[...path, index]} name={`${index + 1}`} isRequired={false} />
          <IconButton icon="remove" label={t('try.removeLine', { name, line: index + 1 })} onClick={() => form.onValue(withValue(form.value, [...path, index], undefined))} />
        </div>
      ))}
      <Button kind="plain" icon="add" disabled={list.length >= maxItems} onClick={() => form.onValue(withValue(form.value, [...path, list.length], sample(form.document, items)))}>{t('try.addLine')}</Button>
    </fieldset>
  );
}

function Input({ schema, value, onValue, path, name, isRequired }: FormProps & { path: Path; name: string; isRequired: boolean }) {
  const id = useId();
  const now = valueAt(value, path);
  const set = (next: Json | undefined) => onValue(withValue(value, path, next));
  const type = typeOf(schema);
  const choices = schema.enum?.map(String) ?? (type === 'boolean' ? ['true', 'false'] : undefined);
  const hint = [schema.description, typeText(schema)].filter(Boolean).join(' · ');
  return (
    <div class="field">
      <label for={id}>{name || t('try.value')}{isRequired ? ' *' : ''}</label>
      {choices ? (
        <select id={id} value={now === undefined ? '' : String(now)} aria-describedby={`${id}-hint`} onChange={(event) => set(typed(schema, event.currentTarget.value))}>
          <option value="" />
          {choices.map((choice) => <option key={choice} value={choice}>{choice}</option>)}
        </select>
      ) : type === 'object' || type === 'any' || type === 'array' ? (
        <textarea id={id} rows={3} aria-describedby={`${id}-hint`} spellcheck={false} onChange={(event) => set(parsed(event.currentTarget.value))}>{now === undefined ? '' : JSON.stringify(now)}</textarea>
      ) : (
        <input
          id={id} type="text" inputMode={type === 'integer' ? 'numeric' : type === 'number' ? 'decimal' : 'text'} autocomplete="off" spellcheck={false}
          aria-describedby={`${id}-hint`} value={now === undefined || now === null ? '' : typeof now === 'object' ? JSON.stringify(now) : String(now)}
          onInput={(event) => set(typed(schema, event.currentTarget.value))}
        />
      )}
      <span id={`${id}-hint`} class="field-hint">{hint}</span>
    </div>
  );
}

function parsed(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
