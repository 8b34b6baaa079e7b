/** Markdown as the repository writes it, for VitePress: links between files, files in code blocks, indented commands. */
import { posix, relative, sep } from 'node:path';
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress';
import { isToFile, ROOT, siteLinkOf } from './pages.ts';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** As GitHub names a heading, so that one link serves in the repository and on the site. */
export function slugOf(heading: string): string {
  const kept = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return kept.trim().replaceAll(' ', '-');
}

/** Adds to `md` what the pages of the repository need. */
export function readAsRepository(md: MarkdownRenderer): void {
  md.core.ruler.push('chancery', ({ tokens, env }) => {
    // `path` is where the page stands on the site.
    const { realPath, path } = env as MarkdownEnv;
    const file = relative(ROOT, realPath ?? path).replaceAll(sep, posix.sep);
    for (const token of tokens) {
      if (token.type === 'code_block') asCommands(token);
      if (token.children !== null) resolveLinks(token.children, file);
    }
  });
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const html = fence?.(tokens, index, options, env, self) ?? '';
    const [, name] = tokens[index]?.info.trim().split(/\s+/, 2) ?? [];
    if (name === undefined || !/^[\w./-]+$/.test(name)) return html;
    return `<div class="file-name">${md.utils.escapeHtml(name)}</div>\n${html}`;
  };
}

/** An indented block has commands. */
function asCommands(token: Token): void {
  token.type = 'fence';
  token.info = 'sh';
  token.markup = '```';
}

function resolveLinks(tokens: Token[], file: string): void {
  for (const [index, token] of tokens.entries()) {
    const link = token.type === 'link_open' ? token.attrGet('href') : null;
    if (link === null || !isToFile(link)) continue;
    const target = siteLinkOf(file, link);
    if (target === undefined) withoutLink(tokens, index);
    else token.attrSet('href', target);
  }
}

/** A file of the repository that is no page: its name stays, without a link that would lead nowhere. */
function withoutLink(tokens: Token[], from: number): void {
  const to = tokens.findIndex(({ type }, index) => index > from && type === 'link_close');
  for (const index of [from, to]) {
    const token = tokens[index];
    if (token === undefined) continue;
    token.type = 'text';
    token.tag = '';
    token.nesting = 0;
    token.content = '';
  }
}
