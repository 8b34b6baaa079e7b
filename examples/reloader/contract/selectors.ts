/** Entries of `--namespace-selector` and `--resource-label-selector` → one label selector. */
import { ConfigurationError, parseSelector, type Selector } from 'chancery';

/**
 * The selector of the entries of a flag; all of them must hold. Undefined without entries.
 *
 * Each entry has terms of a label selector, separated by commas, and the original's own forms beside them: `k:v`
 * for `k=v`, `k:*` and `k=*` for `k`. An entry with several terms, as the chart of the original makes it, means
 * the same as several entries. And the list flag has split `tier in (a,b)` without quotes into two entries: as in the
 * original, they are joined before they are read.
 *
 * @param flag - name of the flag, for the message.
 * @throws ConfigurationError `CONFIG` that names the flag and the term.
 */
export function selectorOfEntries(flag: string, entries: readonly string[]): Selector | undefined {
  const terms = termsOf(entries.join(','))
    .map((term) => term.trim())
    .filter((term) => term !== '');
  if (terms.length === 0) return undefined;
  return terms.flatMap((term) => {
    try {
      return parseSelector(modernForm(term));
    } catch (cause) {
      throw new ConfigurationError(
        `--${flag} must have terms such as key=value, key in (a,b), key or key:value, not ${JSON.stringify(term)}`,
        { cause },
      );
    }
  });
}

/** A comma inside parentheses belongs to its term: `tier in (a,b)`. */
function termsOf(text: string): string[] {
  return text.split(/,(?![^(]*\))/);
}

function modernForm(term: string): string {
  const [, key = '', value = ''] = /^([^:=!<>() ]+)\s*(?::|==?)\s*([^:]*)$/.exec(term) ?? [];
  if (key === '') return term;
  return value === '*' ? key : `${key}=${value}`;
}
