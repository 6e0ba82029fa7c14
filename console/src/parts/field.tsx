// Labelled inputs over signals: a text or number, a choice, and a number of lines.

import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  value: Signal<string>;
  /** What may be written, below the input. */
  hint?: string | undefined;
  type?: 'text' | 'number';
  required?: boolean;
  disabled?: boolean;
  maxLength?: number | undefined;
  min?: number | undefined;
  max?: number | undefined;
  pattern?: string;
  /** Takes the whole width of a form. */
  wide?: boolean;
  /** It differs from what is stored. */
  isChanged?: boolean;
}

export function Field({ label, value, hint, type = 'text', wide = false, isChanged = false, ...input }: FieldProps) {
  const id = useId();
  return (
    <div class={`field${wide ? ' is-wide' : ''}${isChanged ? ' is-changed' : ''}`}>
      <label for={id}>{label}</label>
      <input
        id={id} type={type} value={value.value} spellcheck={false} autocomplete="off" aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={(event) => (value.value = event.currentTarget.value)} {...input}
      />
      {hint && <span id={`${id}-hint`} class="field-hint">{hint}</span>}
    </div>
  );
}

interface SelectProps<Type extends string> {
  label: string;
  value: Signal<Type>;
  options: readonly (readonly [Type, string])[];
  hint?: string | undefined;
  disabled?: boolean;
  isChanged?: boolean;
}

export function Select<Type extends string>({ label, value, options, hint, disabled = false, isChanged = false }: SelectProps<Type>) {
  const id = useId();
  return (
    <div class={`field${isChanged ? ' is-changed' : ''}`}>
      <label for={id}>{label}</label>
      <select id={id} value={value.value} disabled={disabled} onChange={(event) => (value.value = event.currentTarget.value as Type)}>
        {options.map(([option, name]) => <option key={option} value={option}>{name}</option>)}
      </select>
      {hint && <span class="field-hint">{hint}</span>}
    </div>
  );
}
