import type { ToolState } from './tools.ts';

/** A file of tests that start tools. */
export interface TestFile {
  readonly path: string;
  readonly text: string;
}

export interface Lane {
  /** Projects of vitest to run. */
  readonly projects: readonly string[];
  /** Files whose tools are not here. */
  readonly exclude: readonly string[];
  /** A line for each tool that is not here, with its reason and what is left out for it. */
  readonly notShown: readonly string[];
  /** Names of tools that are not installed, and could be. */
  readonly missing: readonly string[];
}

/** What `npm run test:tools` runs on a machine with these tools. */
export function laneOf(states: readonly ToolState[], files: readonly TestFile[]): Lane {
  const absent = states.filter(({ state }) => state !== 'found');
  const isLeftOut = ({ text }: TestFile): boolean =>
    absent.some(({ tool }) => tagsOf(text).includes(tool.name));
  const hasKubectl = !absent.some(({ tool }) => tool.name === 'kubectl');
  return {
    projects: ['tools', 'tools-alone', ...(hasKubectl ? ['kubectl-proxy'] : [])],
    exclude: files.filter(isLeftOut).map(({ path }) => path),
    notShown: absent.map((each) => {
      const why = each.state === 'cannot work' ? each.reason : 'it is missing';
      const count = files.filter(({ text }) => tagsOf(text).includes(each.tool.name)).length;
      const more = each.tool.name === 'kubectl' ? ', and what runs behind a kubectl proxy' : '';
      return `${each.tool.name}: ${why}; files left out: ${count}${more}`;
    }),
    missing: absent
      .filter(({ tool, state }) => state === 'missing' && tool.isInFolder !== true)
      .map(({ tool }) => tool.name),
  };
}

/** The tools that a file of tests says it starts, each as `@module-tag NAME` in its first comment. */
export function tagsOf(text: string): readonly string[] {
  return [...text.matchAll(/^(?:\/\/|\/?\*\*?|\s\*)\s*@module-tag\s+([\w-]+)/gm)].map(
    ([, name = '']) => name,
  );
}

/** A row for each tool: whether it is here, how many files start it, how to install it. */
export function tableOf(states: readonly ToolState[], files: readonly TestFile[]): string {
  const rows = states.map((each): readonly string[] => {
    const { tool } = each;
    const users = files.filter(({ text }) => tagsOf(text).includes(tool.name)).length;
    const install =
      each.state === 'missing'
        ? `Debian: ${tool.debian}; Fedora: ${tool.fedora}; macOS: ${tool.macos}; or set ${tool.variable}`
        : each.state === 'found'
          ? each.paths.join(' ')
          : each.reason;
    return [tool.name, each.state, String(users), install];
  });
  const all = [['tool', 'state', 'files', 'where it is, or how to get it'], ...rows];
  const widths = [0, 1, 2].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all
    .map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
    .join('\n');
}
