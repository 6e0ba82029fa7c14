// The line below the editor: what the word under the cursor is, or what comes next.

import { problemIn } from '../../api/request.ts';
import { t } from '../../text.ts';
import { resolved } from './complete.ts';
import { commandOf, type Grammar, type Keyword, keywordOf, objectOf, TELLS_KIND, type Value, verbOf } from './grammar.ts';
import { placeAt, wordAt } from './script.ts';

interface HelpProps {
  grammar: Grammar | undefined;
  failure: unknown;
  text: string;
  at: number;
}

export function Help({ grammar, failure, text, at }: HelpProps) {
  if (!grammar) return <p class="mqsc-help quiet">{failure === undefined ? t('mqsc.keys') : t('mqsc.noGrammar', { why: problemIn(failure).detail })}</p>;
  const place = placeAt(text, at);
  const { object, verb, type } = resolved(grammar, place);
  const word = wordAt(text, at);
  const keyword = object && verb && word !== '' ? keywordOf(object, verb, word, type) : undefined;
  if (keyword) return <KeywordHelp keyword={keyword} />;
  const command = verb ? commandOf(object ?? objectOf(grammar, word), verb) : undefined;
  if (command && (object ?? objectOf(grammar, word))) {
    return (
      <p class="mqsc-help">
        <code>{command.verb} {(object ?? objectOf(grammar, word))?.object}{command.parameters.startsWith('(') ? '' : ' '}{command.parameters}</code> {command.help}
      </p>
    );
  }
  const whole = verbOf(grammar, place.verb || word);
  return <p class="mqsc-help quiet">{whole ? t('mqsc.afterVerb', { verb: whole }) : t('mqsc.keys')}</p>;
}

function KeywordHelp({ keyword: { keyword, value, operand, default: initial, setBy, help } }: { keyword: Keyword }) {
  const takes = value ? valueText(value) : operand;
  return (
    <p class="mqsc-help">
      <code>{keyword}{takes ? `(${takes})` : ''}</code> {help}
      {initial !== undefined && <span class="quiet"> {t('mqsc.default', { value: initial })}</span>}
      {setBy && setBy.length === 0 && !TELLS_KIND.has(keyword) && <span class="quiet"> {t('mqsc.shownOnly')}</span>}
      {setBy && setBy.length === 1 && setBy[0] === 'DEFINE' && <span class="quiet"> {t('mqsc.defineOnly')}</span>}
    </p>
  );
}

function valueText({ is, minimum, maximum, unit, words }: Value): string {
  const range = is === 'number' ? `${minimum ?? 0}–${maximum ?? '∞'}${unit ? ` ${unit}` : ''}` : undefined;
  const parts = [...(range ? [range] : []), ...(words ?? [])];
  return parts.length > 0 ? parts.join(' | ') : maximum === undefined ? is : t('mqsc.upTo', { is, maximum });
}
