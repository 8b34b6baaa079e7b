/** The site: `npm run docs` builds it into docs/.vitepress/dist, `npm run docs:dev` serves it. */
import { defineConfig } from 'vitepress';
import { writeTexts } from './site/llms.ts';
import { readAsRepository, slugOf } from './site/markdown.ts';
import { API_PAGES, allPages, apiPages, NO_PAGES, sitePathOf, titleOf } from './site/pages.ts';
import { type Group, SECTIONS } from './site/structure.ts';

const DESCRIPTION = 'Kubernetes operators in TypeScript that hold no credentials';

/** The path that the site is published under: `/`, or that of a project page. It ends with `/`. */
const BASE = process.env.DOCS_BASE ?? '/';

const titles = new Map(allPages().map((file) => [sitePathOf(file), titleOf(file)]));
const linkOf = (page: string): string => `/${page.replace(/(?:index)?\.md$/, '')}`;
const itemsOf = ({ title, pages }: Group) => ({
  text: title,
  collapsed: false,
  items: pages.map((page) => ({ text: titles.get(page) ?? page, link: linkOf(page) })),
});

/** Two containers in a Pod. Browsers ask for a file when no icon is named. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#3a5ccc"/>' +
  '<path d="M3 4h4v8H3zM9 4h4v8H9z" fill="#fff"/></svg>';

const api = {
  text: 'API',
  collapsed: false,
  items: apiPages().map((file) => ({
    text: titleOf(file),
    link: linkOf(sitePathOf(file) ?? file),
  })),
};

// biome-ignore lint/style/noDefaultExport: VitePress reads it
export default defineConfig({
  title: 'Chancery',
  description: DESCRIPTION,
  base: BASE,
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  srcDir: '..',
  srcExclude: [...NO_PAGES],
  rewrites: (file) => sitePathOf(file) ?? file,
  cleanUrls: true,
  markdown: { anchor: { slugify: slugOf }, config: readAsRepository },
  themeConfig: {
    nav: SECTIONS.map(({ title, first }) => ({ text: title, link: linkOf(first) })),
    sidebar: [...SECTIONS.flatMap(({ groups }) => groups.map(itemsOf)), api],
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // Hundreds of types whose names are in every guide would hide the guides.
        _render: (text, env, md) =>
          env.relativePath.startsWith(`${API_PAGES}chancery/kubernetes/`)
            ? ''
            : md.render(text, env),
      },
    },
  },
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  buildEnd: ({ outDir }) => writeTexts(outDir, DESCRIPTION, BASE),
});
