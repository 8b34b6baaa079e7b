/** Follows the READMEs of examples: `npm run prove -- readmes`, or `npm run prove -- readmes NAME…`. */
import { EXAMPLES } from './examples.ts';
import { followReadme } from './follow.ts';

const USAGE = `usage: npm run prove -- readmes [NAME...]

Starts each example without a cluster, runs the commands of its README, and checks that they print what it
promises. Needs kubectl, or KUBECTL. Exits 0 when all do, 1 when one does not, 2 for a name that is none.
`;

async function main(words: readonly string[]): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(USAGE);
    return 0;
  }
  const unknown = words.filter((word) => EXAMPLES[word] === undefined);
  if (unknown.length > 0) {
    process.stderr.write(`no such example: ${unknown.join(', ')}\n\n${USAGE}`);
    return 2;
  }
  const names = words.length > 0 ? words : Object.keys(EXAMPLES);
  let failed = 0;
  for (const name of names) {
    process.stdout.write(`${name}\n`);
    try {
      await followReadme(name, ({ step, tookMs }) => {
        process.stdout.write(`  ${(tookMs / 1_000).toFixed(1).padStart(5)} s  ${step.command}\n`);
      });
    } catch (error) {
      failed++;
      process.stderr.write(`  ${error instanceof Error ? error.message : error}\n`);
    }
  }
  process.stdout.write(
    `${names.length - failed} of ${names.length} examples do what they promise\n`,
  );
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
