/**
 * `npm run docs:words`: counts the words that people wrote in docs/, without code and without what is generated.
 *
 * Exit codes: 0 when both sums are within their limits, 1 when one is over.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { allPages, ROOT } from './site/pages.ts';
import { wordsIn } from './site/words.ts';

/** The pages that came with the site. */
const NEW =
  /^docs\/(?:index|tutorial\/.*|coming-from\/.*|concepts\/(?:comparison|faq|glossary)|security\/threat-model|guides\/operate\/(?:alerts|troubleshooting|gitops|images|upgrading))\.md$/;
const LIMITS = { old: 50_000, new: 25_000 };

const pages = allPages()
  .filter((file) => file.startsWith('docs/'))
  .map((file) => ({ file, words: wordsIn(readFileSync(join(ROOT, file), 'utf8')) }))
  .sort((a, b) => b.words - a.words);
const sums = { old: sumOf(pages, false), new: sumOf(pages, true) };
for (const { file, words } of pages) {
  process.stdout.write(
    `${String(words).padStart(6)}  ${NEW.test(file) ? 'new  ' : '     '}${file}\n`,
  );
}
process.stdout.write(`${sums.old} of at most ${LIMITS.old} words in pages from before the site\n`);
process.stdout.write(`${sums.new} of at most ${LIMITS.new} words in pages that came with it\n`);
process.exitCode = sums.old <= LIMITS.old && sums.new <= LIMITS.new ? 0 : 1;

function sumOf(all: typeof pages, isNew: boolean): number {
  return all
    .filter(({ file }) => NEW.test(file) === isNew)
    .reduce((sum, { words }) => sum + words, 0);
}
