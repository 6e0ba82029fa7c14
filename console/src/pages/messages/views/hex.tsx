// The data as bytes: sixteen a row, with ASCII and EBCDIC beside, fetched as they are looked at. What is selected is read in every way it may mean.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { count } from '../../../format.ts';
import { Empty, Failed } from '../../../parts/states.tsx';
import { t } from '../../../text.ts';
import { Parts, type Where } from '../body.ts';
import { ascii, ebcdic, hex, readings, ROW } from './hex.ts';
import { Lines } from './lines.tsx';

/** Bytes of a selection that are read as values. */
const MOST_READ = 32;

interface HexProps {
  where: Where;
  length: number;
  isLittle: boolean;
  /** Bytes to bring on screen and to select at first. */
  at?: { offset: number; length: number } | undefined;
}

export default function HexView({ where, length, isLittle, at }: HexProps) {
  const version = useSignal(0);
  const failure = useSignal<unknown>(undefined);
  const from = useSignal<number | undefined>(at?.offset);
  const to = useSignal<number | undefined>(at && at.offset + at.length - 1);
  const jump = useSignal<number | undefined>(at && Math.floor(at.offset / ROW));
  const parts = useMemo(() => new Parts(where, length, (error) => {
    failure.value = error;
    version.value += 1;
  }), [where.position, length]);
  useEffect(() => parts.want(0, ROW * 64), [parts]);
  const rows = Math.ceil(length / ROW);
  const digits = Math.max(6, (length - 1).toString(16).length);
  version.value;
  if (length === 0) return <Empty title={t('message.noData')} />;
  const [first, last] = [Math.min(from.value ?? -1, to.value ?? -1), Math.max(from.value ?? -1, to.value ?? -1)];
  function select(offset: number, isRange: boolean): void {
    if (isRange && from.peek() !== undefined) to.value = offset;
    else [from.value, to.value] = [offset, offset];
  }
  return (
    <div class="body-view">
      <div class="toolbar">
        <label class="inline-field">
          <span>{t('message.offset')}</span>
          <input
            class="mono" type="text" size={12} placeholder="0x1f40" aria-label={t('message.goToOffset')}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              const text = event.currentTarget.value.trim();
              const offset = /^0x/i.test(text) ? Number.parseInt(text, 16) : Number(text);
              if (!Number.isFinite(offset) || offset < 0 || offset >= length) return;
              jump.value = undefined;
              jump.value = Math.floor(offset / ROW);
              select(offset, false);
            }}
          />
        </label>
        <p class="quiet">{t('message.hexHint')}</p>
      </div>
      {failure.value !== undefined && <Failed error={failure.value} />}
      <div
        class="hex"
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        onClick={(event) => {
          const offset = (event.target as Element).closest<HTMLElement>('[data-at]')?.dataset['at'];
          if (offset !== undefined) select(Number(offset), event.shiftKey);
        }}
      >
        <Lines
          label={t('message.hex')} count={rows} goTo={jump.value} onSeen={(top, bottom) => parts.want(top * ROW, (bottom + 1) * ROW)}
          line={(row) => <HexRow parts={parts} row={row} length={length} digits={digits} first={first} last={last} />}
        />
      </div>
      {first >= 0 && <Selected parts={parts} first={first} last={last} isLittle={isLittle} />}
    </div>
  );
}

function HexRow({ parts, row, length, digits, first, last }: { parts: Parts; row: number; length: number; digits: number; first: number; last: number }) {
  const begin = row * ROW;
  const bytes: (number | undefined)[] = [];
  for (let at = begin; at < Math.min(begin + ROW, length); at += 1) bytes.push(parts.byte(at));
  const missing = ROW - bytes.length;
  const isIn = (index: number) => begin + index >= first && begin + index <= last;
  return (
    <>
      <span class="line-number">{begin.toString(16).padStart(digits, '0')}</span>
      <span class="hex-bytes">
        {bytes.map((byte, index) => <span key={index} data-at={begin + index} class={isIn(index) ? 'is-in' : undefined}>{byte === undefined ? '··' : hex(byte)}</span>)}
        {missing > 0 && Array.from({ length: missing }, (_, index) => <span key={`none${index}`}>{'  '}</span>)}
      </span>
      <span class="hex-text" title="ASCII">{bytes.map((byte, index) => <span key={index} data-at={begin + index} class={isIn(index) ? 'is-in' : undefined}>{byte === undefined ? ' ' : ascii(byte)}</span>)}{' '.repeat(missing)}</span>
      <span class="hex-text" title="EBCDIC">{bytes.map((byte, index) => <span key={index} data-at={begin + index} class={isIn(index) ? 'is-in' : undefined}>{byte === undefined ? ' ' : ebcdic(byte)}</span>)}</span>
    </>
  );
}

function Selected({ parts, first, last, isLittle }: { parts: Parts; first: number; last: number; isLittle: boolean }) {
  const bytes: number[] = [];
  for (let at = first; at <= Math.min(last, first + MOST_READ - 1); at += 1) {
    const byte = parts.byte(at);
    if (byte !== undefined) bytes.push(byte);
  }
  const isWhole = last - first < MOST_READ && bytes.length === last - first + 1;
  return (
    <dl class="hex-selected" aria-live="polite">
      <div><dt>{t('message.offset')}</dt><dd class="mono">{count(first)} · 0x{first.toString(16)}</dd></div>
      <div><dt>{t('message.selectedBytes')}</dt><dd class="mono">{count(last - first + 1)}</dd></div>
      {isWhole && readings(Uint8Array.from(bytes), isLittle).map(({ name, value }) => (
        <div key={name}><dt>{t(`reading.${name}`)}</dt><dd class="mono">{value}</dd></div>
      ))}
    </dl>
  );
}
