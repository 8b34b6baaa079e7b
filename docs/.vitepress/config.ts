/** The site: `npm run docs` builds it into docs/.vitepress/dist, `npm run docs:dev` serves it. */
import { defineConfig } from 'vitepress';
import { writeTexts } from './site/llms.ts';
import { readAsRepository, slugOf } from './site/markdown.ts';
import { allPages, NO_PAGES, sitePathOf, titleOf } from './site/pages.ts';
import { type Group, SECTIONS } from './site/structure.ts';

const DESCRIPTION = 'Kubernetes operators in TypeScript that hold no credentials';

const titles = new Map(allPages().map((file) => [sitePathOf(file), titleOf(file)]));
const linkOf = (page: string): string => `/${page.replace(/(?:index)?\.md$/, '')}`;
const itemsOf = ({ title, pages }: Group) => ({
  text: title,
  collapsed: false,
  items: pages.map((page) => ({ text: titles.get(page) ?? page, link: linkOf(page) })),
});

// biome-ignore lint/style/noDefaultExport: VitePress reads it
export default defineConfig({
  title: 'Chancery',
  description: DESCRIPTION,
  base: process.env['DOCS_BASE'] ?? '/',
  srcDir: '..',
  srcExclude: [...NO_PAGES],
  rewrites: (file) => sitePathOf(file) ?? file,
  cleanUrls: true,
  markdown: { anchor: { slugify: slugOf }, config: readAsRepository },
  themeConfig: {
    nav: SECTIONS.map(({ title, first }) => ({ text: title, link: linkOf(first) })),
    sidebar: SECTIONS.flatMap(({ groups }) => groups.map(itemsOf)),
    outline: [2, 3],
    search: { provider: 'local' },
  },
  buildEnd: ({ outDir }) => writeTexts(outDir, DESCRIPTION),
});
