import { EXAMPLES } from './try/examples.ts';

/** What `npm run generate` says on top of each tree's files. */
const COMMAND = ['--command', 'npm run generate'];

/** Options of a tree that policies do not have. Each has a value. */
const OF_MANIFESTS = ['--operator-image', '--module-path', '--resource', '--components'];

/** The words of `chancery generate manifests` for every tree of manifests in this repository, by example. */
export const TREES: Readonly<Record<string, readonly string[]>> = {
  'config-restart': [
    'examples/config-restart/operator.ts',
    ...['-o', 'manifests', '--operator-image', 'chancery-operator'],
    ...['--module-path', '/examples/config-restart/operator.ts'],
    ...['--resource', '../examples/config-restart', ...COMMAND],
  ],
  website: treeOf('website'),
  ...Object.fromEntries(
    Object.entries(EXAMPLES).map(([name, { isHooks, isMetacontroller }]) => [
      name,
      isHooks ? treeOfHooks(name) : isMetacontroller ? treeOfFunctions(name) : treeOf(name),
    ]),
  ),
  reloader: treeOf('reloader', '/operators/reloader/operator.js'), // as its Dockerfile bundles it
};

/** The words of `chancery generate policies` for every tree, in a folder beside its base: it is no part of an overlay. */
export const POLICIES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(TREES).map(([name, words]) => [`${name} policies`, policiesOf(words)]),
);

/** Of the words of a tree, those that policies have, too. */
function policiesOf(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  const options = end < 0 ? words : words.slice(0, end);
  const kept = options.flatMap((word, at) => {
    const before = options[at - 1] ?? '';
    if (OF_MANIFESTS.includes(word) || OF_MANIFESTS.includes(before)) return [];
    return [before === '-o' ? `${word}/policies` : word];
  });
  return ['policies', ...kept, ...(end < 0 ? [] : words.slice(end))];
}

/** The words of `chancery generate` for the chart and the bundle of an operator that people install. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'reloader chart': committed('chart', 'reloader'),
  'reloader bundle': committed('bundle', 'reloader'),
};

function committed(what: 'chart' | 'bundle', name: string): readonly string[] {
  const output = `examples/${name}/${what}`;
  return [...packageOf(what, name, { output, operatorImage: `${name}-operator` }), ...COMMAND];
}

/** The words without those that say which command it was. */
export function packageOf(
  what: 'chart' | 'bundle',
  name: string,
  { output, operatorImage }: { readonly output: string; readonly operatorImage: string },
): readonly string[] {
  return [
    ...[what, `examples/${name}/operator.ts`, '--name', name],
    ...['--operator-image', operatorImage],
    ...['--module-path', `/operators/${name}/operator.js`], // as its Dockerfile bundles it
    ...['--metadata', `examples/${name}/package.yaml`],
    ...['-o', output],
  ];
}

/** Of a folder of hooks, in the image of the toolkit that has a shell. */
function treeOfHooks(name: string): readonly string[] {
  return [
    ...['--hooks', `examples/${name}/hooks`],
    ...['--name', name],
    ...['-o', `examples/${name}/manifests`],
    ...['--components', '../../../manifests/components', ...COMMAND],
  ];
}

/** Of controllers whose functions are in a folder, in the image that has a shell. */
function treeOfFunctions(name: string): readonly string[] {
  return [
    ...['--from-metacontroller', `examples/${name}/controllers`],
    ...['--functions', `examples/${name}/functions/functions.yaml`],
    ...['--crd', `examples/${name}/crds`, '--install-crds'],
    // A namespace and a role `metacontroller` would be those of the original.
    ...['--name', `chancery-${name}`],
    ...['-o', `examples/${name}/manifests`],
    ...['--components', '../../../manifests/components', ...COMMAND],
  ];
}

/** Of an operator in an image of its own, beside the components that all of them share. */
function treeOf(
  name: string,
  modulePath: string = `/operators/${name}/operator.ts`,
): readonly string[] {
  return [
    `examples/${name}/operator.ts`,
    ...['--name', name],
    ...['-o', `examples/${name}/manifests`, '--operator-image', `${name}-operator`],
    ...['--module-path', modulePath],
    ...(EXAMPLES[name]?.installsCrds === true ? ['--install-crds'] : []),
    ...['--components', '../../../manifests/components', ...COMMAND],
    ...afterDashes(EXAMPLES[name]?.args),
  ];
}

function afterDashes(args: readonly string[] = []): readonly string[] {
  return args.length > 0 ? ['--', ...args] : [];
}
