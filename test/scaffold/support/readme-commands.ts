/** The commands of the README of a new project, and which of them test/scaffold/outside.tools.test.ts runs. */

/** The indented lines of a README, in order. */
export function commandsOf(readme: string): readonly string[] {
  return readme.split('\n').flatMap((line) => (line.startsWith('    ') ? [line.trim()] : []));
}

/** Commands of every README that the test outside the repository runs as they stand there. */
export const RUN_OUTSIDE: readonly string[] = [
  'npm install',
  'npm test',
  'npm run dev',
  'npx chancery create api --group example.com --version v1 --kind Cache --owns deployments.apps,services',
  'npm run generate',
  'npm run check',
  'kubectl apply -k deploy/overlays/namespaced',
];
