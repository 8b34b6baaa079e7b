/** Links of the pages as Markdown, which programs follow that read text. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

interface Links {
  /** How many links lead to a file of the site. */
  readonly links: number;
  /** Such as `/guides/write/hooks.md: ../missing.md`. */
  readonly dead: readonly string[];
}

/**
 * The links of `llms.txt` and of every Markdown file in the folder of a built site.
 *
 * @param base - the path that the site is published under, such as `/chancery/`.
 */
export function deadLinksOfTexts(folder: string, base = '/'): Links {
  const dead: string[] = [];
  let links = 0;
  for (const file of globSync('{llms.txt,**/*.md}', { cwd: folder })) {
    for (const link of linksIn(readFileSync(join(folder, file), 'utf8'))) {
      if (/^(?:[a-z]+:|#)/.test(link)) continue;
      links += 1;
      const { pathname } = new URL(link, `http://site${base}${file}`);
      const path = posix.normalize(decodeURIComponent(pathname));
      if (!path.startsWith(base) || !isServed(folder, path.slice(base.length))) {
        dead.push(`/${file}: ${link}`);
      }
    }
  }
  return { links, dead };
}

/** Without those in code. */
function linksIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^( *)```.*?^\1```$/gms, '').replaceAll(/^ {4}.*$/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
}

/** Pages are linked with and without the end of their names. */
function isServed(folder: string, path: string): boolean {
  return ['', '.md', 'index.md'].some(
    (end) => /\.\w+$/.test(`${path}${end}`) && existsSync(join(folder, `${path}${end}`)),
  );
}
