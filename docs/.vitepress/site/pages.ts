/** Which files of the repository are pages, and where each stands on the site. */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Files outside docs/ that are pages, too, by their path in the repository. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security/reporting.md',
  'bench/README.md': 'benchmarks.md',
  'create-chancery/README.md': 'packages/create-chancery.md',
  'examples/README.md': 'examples/index.md',
  'gate/README.md': 'reference/gate.md',
  'manifests/README.md': 'reference/manifests.md',
  'proxy/README.md': 'reference/ambassador.md',
  'testing/README.md': 'packages/testing.md',
};
const FOLDERS = /^(examples|packages)\/([\w-]+)\/README\.md$/;

/** What glob patterns must leave out, so that only pages are left. Paths are relative to the repository. */
export const NO_PAGES: readonly string[] = [
  '!(docs|bench|create-chancery|examples|gate|manifests|packages|proxy|testing)/**/*',
  '.*/**',
  'README.md',
  'docs/{api,node_modules}/**',
  'docs/.vitepress/**',
  'docs/diagrams/**',
  '{bench,create-chancery,gate,manifests,proxy,testing}/*/**',
  '{examples,packages}/*/*/**',
];

/** What TypeDoc writes into docs/reference/api, which git does not keep. */
export const API_PAGES = 'reference/api/';

/** The entries of our packages that have pages of TypeDoc. */
const ENTRIES = [
  ...['chancery', 'chancery/kubernetes', 'chancery/low-level', 'chancery/schema'],
  ...['@chancery/testing', '@chancery/testing/api-server', '@chancery/metacontroller'],
];
/** The signatures of an entry in docs/api are for the repository. On the site TypeDoc's page stands for them. */
const TYPEDOC_PAGES: ReadonlyMap<string, string> = new Map(
  ENTRIES.map((entry) => [
    `docs/api/${entry.replace('@', '').replaceAll('/', '-')}.md`,
    `docs/${API_PAGES}${entry}.md`,
  ]),
);

/** The path of a page on the site, such as `guides/write/operators.md`; undefined of a file that is no page. */
export function sitePathOf(file: string): string | undefined {
  const [, folder, name] = FOLDERS.exec(file) ?? [];
  if (folder !== undefined) return `${folder}/${name}.md`;
  if (file in OUTSIDE) return OUTSIDE[file];
  if (!file.startsWith('docs/') || !file.endsWith('.md') || file.startsWith('docs/api/'))
    return undefined;
  const path = file.slice('docs/'.length);
  // Beside the page `chancery` there is a folder of the same name, and some servers answer with the folder.
  const isEntry = path.startsWith(API_PAGES) && !path.endsWith('/index.md');
  return isEntry ? path.replace(/\.md$/, '/index.md') : path;
}

/** All pages that somebody wrote, by their path in the repository. */
export function allPages(): readonly string[] {
  return globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules/**', ...NO_PAGES] })
    .filter((file) => sitePathOf(file)?.startsWith(API_PAGES) === false)
    .toSorted();
}

/** The pages of the API reference by their path in the repository. None before TypeDoc has run. */
export function apiPages(): readonly string[] {
  return globSync(`docs/${API_PAGES}**/*.md`, { cwd: ROOT }).toSorted();
}

/**
 * Where a link of the page `file` leads on the site: `/guides/write/operators.md#rights` for a page. Undefined when
 * its target is a file of the repository that is no page.
 */
export function siteLinkOf(file: string, link: string): string | undefined {
  const [path = '', hash] = link.split('#', 2);
  const target = posix
    .normalize(posix.join(posix.dirname(file), path))
    .replace(/\/$/, '/README.md');
  const page = sitePathOf(TYPEDOC_PAGES.get(target) ?? target);
  return page === undefined ? undefined : `/${page}${hash === undefined ? '' : `#${hash}`}`;
}

/** A link that leads to another file of the repository, and not elsewhere on the page or on the net. */
export function isToFile(link: string): boolean {
  return !/^(?:[a-z]+:|#|\/)/.test(link);
}

/** The first heading of a page. */
export function titleOf(file: string): string {
  const title = /^# (.+)$/m.exec(readFileSync(posix.join(ROOT, file), 'utf8'))?.[1];
  if (title === undefined) throw new Error(`${file} has no heading that begins with "# "`);
  return title.replaceAll('`', '');
}
