/** The API report of an entry: what `npm run generate -- api` writes to `docs/api/` and a test compares. */
import type { Declared, Surface } from './surface.ts';

/** An entry of kinds that are generated: its names say enough, its declarations are 10,000 lines. */
const NAMES_ONLY: readonly string[] = ['chancery/kubernetes'];

/** The folder of the reports, from the root of the repository. */
export const REPORTS = 'docs/api';

/** The file of an entry's report: `chancery-schema.md` of `chancery/schema`. */
export function reportFile(entry: string): string {
  return `${REPORTS}/${entry.replace(/^@/, '').replaceAll('/', '-')}.md`;
}

/** The report as text. */
export function reportOf({ entry, exported, reached }: Surface): string {
  const intro =
    `# ${entry}\n\n` +
    `The public surface of \`${entry}\`: ${exported.length} names. \`npm run generate -- api\` writes this file from the sources, and a ` +
    'test compares it, so\nthat a change of the surface is seen in review.\n';
  if (NAMES_ONLY.includes(entry)) {
    return `${intro}\n${fenced(exported.map(({ kind, name }) => `${kind} ${name}`).join('\n'))}`;
  }
  const text = `${intro}\n${fenced(joined(exported))}`;
  if (reached.length === 0) return text;
  const also =
    '\n## Reached\n\nTypes that these declarations are made of. They cannot be imported by name, and a change of them is a change of the' +
    '\nsurface all the same.\n\n';
  return `${text}${also}${fenced(joined(reached))}`;
}

/** Declarations of one line stand together, longer ones apart. */
function joined(all: readonly Declared[]): string {
  return all
    .map(({ text }, index) => {
      const isLong = text.includes('\n');
      const before = all[index - 1]?.text.includes('\n') ?? false;
      return index > 0 && (isLong || before) ? `\n${text}` : text;
    })
    .join('\n');
}

function fenced(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\`\n`;
}
