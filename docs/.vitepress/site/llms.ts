/** The pages as Markdown for programs that read text: each beside its HTML, `llms.txt` and `llms-full.txt`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  API_PAGES,
  allPages,
  apiPages,
  isToFile,
  ROOT,
  siteLinkOf,
  sitePathOf,
  titleOf,
} from './pages.ts';
import { SECTIONS } from './structure.ts';

/**
 * Writes them into the folder of the built site.
 *
 * @param base - the path that the site is published under, such as `/` or `/chancery/`.
 */
export function writeTexts(folder: string, description: string, base: string): void {
  const files = new Map(allPages().map((file) => [sitePathOf(file) ?? '', file]));
  const texts = new Map([...files].map(([page, file]) => [page, textOf(file, base)]));
  for (const [page, text] of texts) write(join(folder, page), text);
  const api = apiPages();
  for (const file of api) write(join(folder, sitePathOf(file) ?? file), textOf(file, base));

  const chapters = SECTIONS.flatMap(({ groups }) => groups).map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${titleOf(files.get(page) ?? page)}](${base}${page})`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  if (api.length > 0) {
    chapters.push(`## API\n\n- [Every exported name](${base}${API_PAGES}index.md)\n`);
  }
  write(join(folder, 'llms.txt'), `# Chancery\n\n> ${description}\n\n${chapters.join('\n')}`);

  const ordered = SECTIONS.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages));
  write(join(folder, 'llms-full.txt'), ordered.map((page) => texts.get(page) ?? '').join('\n'));
}

/** A page as it is in the repository, with links as they are on the site. Only the words stay of other links. */
function textOf(file: string, base: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const onSite = text.replaceAll(/\]\(([^)\s]+)\)/g, (all, link: string) => {
    const path = isToFile(link) ? siteLinkOf(file, link) : undefined;
    return path === undefined ? all : `](${base}${path.slice(1)})`;
  });
  return onSite.replaceAll(/!?\[([^[\]]*)\]\(([^)\s]+)\)/g, (all, words: string, link: string) =>
    isToFile(link) && isThere(file, link) ? words : all,
  );
}

/** True for a file of the repository. In code `call[name](argument)` has the form of a link. */
function isThere(file: string, link: string): boolean {
  return existsSync(join(ROOT, dirname(file), link.replace(/#.*/, '')));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
