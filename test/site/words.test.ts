/** What `npm run docs:words` counts. */
import { expect, test } from 'vitest';
import { wordsIn } from '../../docs/.vitepress/site/words.ts';

test.each([
  ['Two words.', 2],
  ["It doesn't split `a/b.ts` at 1.5.", 6],
  ['A [link here](https://example.com/not/counted).', 3],
  ['Before\n\n```ts a.ts\nconst not = counted;\n```\n\nafter', 2],
  ['Run\n\n    npm test\n\nnow', 2],
  ['| a | two words |\n|---|---|', 3],
  ['<!-- npm run generate -- guarantees makes this page. -->\nnot counted', 0],
])('%j has %i words', (text, count) => {
  expect(wordsIn(text)).toBe(count);
});

test('the words in a generated part of a page are not counted', () => {
  const part =
    '<!-- The tables of the x, written by y. -->\n\n| no |\n\n<!-- The end of what y writes. -->';

  expect(wordsIn(`one\n${part}\ntwo`)).toBe(2);
});
