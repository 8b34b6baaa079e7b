/** Words of a page that somebody wrote. */

/** Tables that are made from the sources, and pages that are made whole. */
const GENERATED_PART = /<!-- The tables of .*?<!-- The end of what .*?-->/gs;
const GENERATED_PAGE = /^<!-- npm run generate -- /;
const CODE = /^```.*?^```|^ {4}[^\n]*$/gms;
/** Of a link its text counts. */
const ADDRESS = /\]\([^)]*\)/g;
const WORD = /[A-Za-z0-9][\w'’/.@-]*/g;

/** How many words of Markdown are no code and not generated. */
export function wordsIn(text: string): number {
  if (GENERATED_PAGE.test(text)) return 0;
  const prose = text.replace(GENERATED_PART, '').replace(CODE, '').replace(ADDRESS, ']');
  return prose.match(WORD)?.length ?? 0;
}
