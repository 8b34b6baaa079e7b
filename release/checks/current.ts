/** Files that are made from others, and committed: the API report, the manifests, the chart and the bundle. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { reportFile, reportOf } from '../../test/api/report.ts';
import { readSurfaces } from '../../test/api/surface.ts';
import { output, ProgramFailure } from '../program.ts';

export async function apiRefusals(root: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const surface of readSurfaces()) {
    const file = reportFile(surface.entry);
    const committed = await readFile(join(root, file), 'utf8').catch(() => undefined);
    if (committed === undefined)
      problems.push(`${file}: missing, "npm run generate -- api" writes it`);
    else if (committed !== reportOf(surface)) {
      problems.push(`${file}: not as the sources are, "npm run generate -- api" renews it`);
    }
  }
  return problems;
}

export async function generatedRefusals(root: string): Promise<readonly string[]> {
  const args = ['--conditions=chancery-source', 'examples/generate.ts', '--check'];
  return output(process.execPath, args, { cwd: root }).then(
    () => [],
    (error: unknown) => {
      const files = staleFiles(error instanceof ProgramFailure ? error.said : '');
      if (files.length === 0) throw error;
      return files.map((file) => `${file}, "npm run generate" renews it`);
    },
  );
}

/** The lines of `chancery generate --check` that name a file, without the difference. */
export function staleFiles(said: string): readonly string[] {
  const line =
    /(\S+) (?:is missing|is not as it would be generated|would not be generated any more|does not say that it was generated)$/gm;
  return [...said.matchAll(line)].map(([found]) => found);
}
