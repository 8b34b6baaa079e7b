import { readFile } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { isOwnAmbassador } from '../../access/filter/ambassador-image.ts';
import { proxyArguments, proxyFilter, proxyPatch } from '../../access/filter/proxy-filter.ts';
import type { Placement } from '../../access/placement.ts';
import { rbac } from '../../access/rbac.ts';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { formatYaml } from '../../core/yaml.ts';
import { documents, header, type ManifestFile } from '../../generate/manifests/manifest-file.ts';
import type {
  ManifestsOptions,
  OperatorProgram,
} from '../../generate/manifests/manifests-options.ts';
import { folderKustomization } from '../../generate/manifests/mounted-folder.ts';
import {
  crdDocuments,
  GENERIC_FILES,
  operatorManifests,
} from '../../generate/manifests/operator-manifests.ts';
import type { GateOptions } from '../../generate/webhook/webhooks-options.ts';
import type { Settings } from '../../manager/settings/settings.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { isWebhook } from '../../webhook/webhook.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { type Declaring, declaringWords, type Generating } from '../declarations/declaring.ts';
import { type Declarations, loadDeclarations } from '../declarations/load-declarations.ts';
import { LineWriter } from '../line-writer.ts';
import { loadPackage } from '../loading/load-package.ts';
import { type GenerateArguments, generateArguments, isTree, withTag } from './arguments.ts';
import { gateNeeds } from './gate-needs.ts';
import { reportStates, writeGenerated } from './generated-files.ts';
import { givenResources } from './given-resources.ts';
import { programOf, sourceFolder } from './operator-program.ts';
import type { Guard, PoliciesOptions, PolicyFiles } from './policies.ts';
import { imagePaths, missingImageFiles, type Project, projectOf } from './project.ts';
import type { GENERATE } from './table.ts';
import { type FileState, fileState, treeStates } from './written-files.ts';

/** `chancery generate`: writes RBAC, CRDs, the filter or manifests from the declarations of modules. */
export async function generate(given: GivenTo<typeof GENERATE>, io: Io): Promise<ExitCode> {
  const { kind } = given;
  if (kind === 'catalog') {
    const packaging = await loadPackage('@chancery/packaging/command', 'generate catalog');
    return packaging.generateCatalog(given, io);
  }
  const asked = generateArguments(given, kind);
  const loaded = await declarationsOf(asked, io);
  const { declared } = loaded;
  const decided = decidedBy(asked, loaded.settings);
  const name = decided.name ?? loaded.name;
  requireOwnName(decided.declaring, name);
  const named = { ...decided, ...(name !== undefined && { name }) };
  const { declaring } = named;
  const isProject = isTree(named.what) && declaring.from === 'modules';
  const project = isProject ? await projectOf(declaring.modules) : undefined;
  const parsed = withModulePaths(named, project);
  if (parsed.output === undefined) {
    const text =
      parsed.what === 'policies'
        ? (await policiesOf(declared, parsed, io)).files.map((file) => file.text).join('---\n')
        : generatedText(declared, parsed);
    using lines = new LineWriter(io.stdout, io.signal);
    await lines.write(text.slice(0, -1).split('\n'));
    return 0;
  }
  const states = await statesOf(declared, parsed, parsed.output, io);
  // The Dockerfile belongs to the user once it exists, so it is never compared.
  const images = parsed.check ? [] : await imageFiles(parsed, project);
  using lines = new LineWriter(io.stdout, io.signal);
  if (parsed.check) return reportStates(states, lines, io);
  const exit = await writeGenerated([...states, ...images], lines, io);
  for (const line of exit === 0 ? gateNeeds(states, parsed.gate) : [])
    io.stderr.write(`chancery generate: ${line}\n`);
  return exit;
}

/**
 * Refuses the name `metacontroller`: `kubectl apply` would overwrite the ClusterRole of the
 * original Metacontroller, and `kubectl delete` would delete its namespace.
 */
function requireOwnName({ from }: GenerateArguments['declaring'], name: string | undefined): void {
  if (from !== 'metacontroller' || name !== 'metacontroller') return;
  throw new ConfigurationError(
    '--name metacontroller: the namespace and the ClusterRole of the original Metacontroller are called so; ' +
      'choose another name, such as chancery-metacontroller',
  );
}

/** Sets `WATCH_NAMESPACE` while modules are loaded, because every overlay and package sets it in the Pod. */
function environmentFor({ what }: Pick<GenerateArguments, 'what'>, env: Io['env']): Io['env'] {
  return isTree(what) ? { WATCH_NAMESPACE: '*', ...env } : env;
}

async function declarationsOf(asked: GenerateArguments, io: Io): Promise<Declarations> {
  const { declaring, what } = asked;
  const declarations = await loadDeclared(
    declaring,
    `generate ${what}`,
    io,
    environmentFor(asked, io.env),
  );
  for (const hint of declarations.hints) io.stderr.write(`chancery generate: ${what}: ${hint}\n`);
  return declarations;
}

/**
 * The declarations, as `loadDeclarations` returns them.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `loadDeclarations`, and when nothing is declared.
 */
export async function loadDeclared(
  declaring: Declaring,
  command: string,
  io: Io,
  env: Io['env'],
): Promise<Declarations> {
  const declarations = await loadDeclarations(declaring, command, io, env);
  if (declarations.declared.length > 0) return declarations;
  throw new ConfigurationError(
    `${declaringWords(declaring).join(', ')}: runnables only, and no controller; nothing follows from a runnable ` +
      'without sources, so write its rights and its filter by hand',
  );
}

/** Options whose values may also come from the settings of a module. */
type Decidable = Pick<
  GenerateArguments,
  'namespaces' | 'isWatchGiven' | 'leaderElection' | 'leaseName' | 'installCrds'
> &
  Partial<Pick<GenerateArguments, 'shards'>>;

/**
 * `args` with the values that modules set in their settings. All other values come from the
 * environment of the Pod. An option on the command line takes precedence over the settings.
 */
export function decidedBy<A extends Decidable>(args: A, settings: Partial<Settings>): A {
  const { namespaces, leaderElection, installCrds, sharding } = settings;
  const isElectionDecided = 'leaderElection' in settings && args.leaderElection === undefined;
  const leaseName = sharding?.leaseName ?? leaderElection?.leaseName;
  return {
    ...args,
    ...('namespaces' in settings && !args.isWatchGiven && { namespaces, isWatchGiven: true }),
    ...(isElectionDecided && { leaderElection: leaderElection !== undefined }),
    ...(sharding !== undefined && { shards: args.shards ?? sharding.groups, leaderElection: true }),
    ...(leaseName !== undefined && { leaseName }),
    installCrds: args.installCrds || installCrds === true,
  };
}

/** Adds the default paths of the modules: in the project's image, or in our own if there is no project. */
function withModulePaths(args: GenerateArguments, project: Project | undefined): GenerateArguments {
  const { declaring, modulePaths, what } = args;
  if (!isTree(what) || declaring.from !== 'modules' || modulePaths.length > 0) return args;
  const paths =
    project === undefined
      ? declaring.modules.map((module) => `/operators/${basename(module)}`)
      : imagePaths(project);
  if (new Set(paths).size === paths.length) return { ...args, modulePaths: paths };
  throw new ConfigurationError(
    `several modules would be ${paths[0]} in the image: say with --module-path where each is`,
  );
}

/** The missing files of the image. Empty when `--module-path` differs from the paths in our Dockerfile. */
async function imageFiles(
  { modulePaths }: GenerateArguments,
  project: Project | undefined,
): Promise<readonly FileState[]> {
  if (project === undefined) return [];
  const isOurs = imagePaths(project).join('\n') === modulePaths.join('\n');
  return isOurs ? missingImageFiles(project) : [];
}

async function statesOf(
  declared: readonly Generating[],
  args: GenerateArguments,
  output: string,
  io: Io,
): Promise<readonly FileState[]> {
  const { declaring, command, what } = args;
  if (what === 'policies') {
    const { files } = await policiesOf(declared, args, io);
    return treeStates(output, files, ['.']);
  }
  if (!isTree(what)) return [await fileState(output, generatedText(declared, args))];
  const program = await programOf(declaring, output);
  const { stdin } = io;
  const { references, objects } = await givenResources(args.resources, what, { output, stdin });
  const given = { ...args, resources: references, gate: await withBundle(args) };
  if (what !== 'manifests') {
    const packaging = await loadPackage('@chancery/packaging/command', `generate ${what}`);
    const manifests = { ...manifestsOptionsOf(declared, given, program), objects };
    const files = await packaging.packageFiles(what, declared, args, manifests, io);
    return await packaging.packageStates(what, output, files);
  }
  const files = generatedTree(declared, given, program, objects);
  const folders = [
    'certificates/kustomization.yaml',
    'components/monitoring/kustomization.yaml',
    'crds/kustomization.yaml',
    'resources/kustomization.yaml',
  ];
  const ever = [...files.map(({ path }) => path), ...GENERIC_FILES, ...folders];
  const tree = await treeStates(output, files, [
    ...new Set(ever.map((path) => posix.dirname(path))),
  ]);
  const folder = program?.folder;
  const source = sourceFolder(declaring);
  if (folder === undefined || source === undefined) return tree;
  const text = folderKustomization(folder, { name: nameOf(declared, args), command });
  return [...tree, await fileState(join(source, 'kustomization.yaml'), text)];
}

/** The policies of an operator. Writes that are only checked by RBAC are reported on standard error. */
async function policiesOf(
  declared: readonly Generating[],
  args: GenerateArguments,
  io: Io,
): Promise<PolicyFiles> {
  const packaging = await loadPackage('@chancery/packaging/command', 'generate policies');
  const name = nameOf(declared, args);
  const placement = placementOf(declared, args);
  const { guard = [], warn: warns } = args.package;
  const guards = guard as readonly Guard[];
  const options: PoliciesOptions = {
    ...{ ...placement, name, guards, warns },
    serviceAccount: { name, namespace: args.namespace ?? name },
    // The Lease is named after the operator, as in the manifests, and not after the first
    // controller.
    ...(placement.leaderElection && {
      leaderElection: { leaseName: `${name}-leader`, ...placement.leaderElection },
    }),
  };
  const found = await packaging.policyFiles(declared, { ...options, command: args.command });
  for (const line of found.leftToRbac) {
    io.stderr.write(`chancery generate: policies: left to RBAC: ${line}\n`);
  }
  return found;
}

/**
 * The text that `chancery generate` writes for `rbac`, `crd` or `proxy`.
 *
 * @throws ConfigurationError `CONFIG` when the text cannot be generated from these declarations.
 */
export function generatedText(declared: readonly Generating[], args: GenerateArguments): string {
  switch (args.what) {
    case 'crd':
      return definitions(declared, args);
    case 'proxy':
      return filter(declared, args);
    default:
      return roles(declared, args);
  }
}

/**
 * The files of `manifests`.
 *
 * @throws ConfigurationError `CONFIG` when the files cannot be generated from these declarations.
 */
export function generatedTree(
  declared: readonly Generating[],
  args: GenerateArguments,
  program?: OperatorProgram,
  objects: readonly KubernetesObject[] = [],
): readonly ManifestFile[] {
  return operatorManifests(declared, { ...manifestsOptionsOf(declared, args, program), objects });
}

function manifestsOptionsOf(
  declared: readonly Generating[],
  args: GenerateArguments,
  program?: OperatorProgram,
): ManifestsOptions {
  const { installCrds, stopSeconds, components, metricsPrefix, resources, command } = args;
  const name = nameOf(declared, args);
  return {
    name,
    namespace: args.namespace ?? name,
    modules: args.modulePaths,
    moduleArgs: args.declaring.from === 'modules' ? args.declaring.moduleArgs : [],
    images: {
      ambassador: isOwnAmbassador(args.ambassadorImage)
        ? withTag(args.ambassadorImage)
        : args.ambassadorImage,
      operator: withTag(args.operatorImage ?? defaultImage(args, name)),
    },
    ...(program !== undefined && { program: withElection(program, isElected(declared, args)) }),
    leaderElection: isElected(declared, args),
    ...(args.shards !== undefined && { shards: args.shards }),
    ...(args.leaseName !== undefined && { leaseName: args.leaseName }),
    ...(args.isWatchGiven && { watched: args.namespaces ?? 'all' }),
    gate: args.gate,
    installCrds,
    stopSeconds,
    resources,
    command,
    ...(components !== undefined && { components }),
    ...(metricsPrefix !== undefined && { metricsPrefix }),
  };
}

/**
 * Adds the certificates of `--ca-bundle` to the options of the gate.
 *
 * @throws ConfigurationError `CONFIG` when the file cannot be read.
 */
async function withBundle({ gate, caBundle: path }: GenerateArguments): Promise<GateOptions> {
  if (path === undefined) return gate;
  try {
    return { ...gate, caBundle: await readFile(path, 'utf8') };
  } catch (error) {
    throw new ConfigurationError(`--ca-bundle ${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * The default image. Modules run in the image of their project. Other programs run in an image of
 * the toolkit with their package.
 */
function defaultImage({ declaring: { from } }: GenerateArguments, name: string): string {
  return from === 'modules' ? name : `chancery-${from}`;
}

/** In a Pod, `hooks` and `metacontroller` elect a leader unless this option turns the election off. */
function withElection(program: OperatorProgram, elects: boolean): OperatorProgram {
  const off = '--no-leader-election';
  if (elects || program.words.includes(off)) return program;
  return { ...program, words: [...program.words, off] };
}

function roles(declared: readonly Generating[], args: GenerateArguments): string {
  const name = nameOf(declared, args);
  const serviceAccount = { name, namespace: args.namespace ?? name };
  const objects = rbac(declared, { ...placementOf(declared, args), name, serviceAccount });
  return documents(header(args.command), objects);
}

function definitions(
  declared: readonly Generating[],
  { command, declaring }: GenerateArguments,
): string {
  const files = crdDocuments(declared);
  if (files.length === 0) {
    throw new ConfigurationError(
      `no resource in ${declaringWords(declaring).join(', ')} brings a definition: customResource({...}) of ` +
        'chancery/schema makes one that does',
    );
  }
  return header(command) + files.map(({ text }) => text).join('---\n');
}

function filter(declared: readonly Generating[], args: GenerateArguments): string {
  const found = proxyFilter(declared, placementOf(declared, args));
  // Standard output has no comment, because it may be used in a command line. A file has a comment.
  const comment = args.output === undefined ? '' : header(args.command);
  switch (args.format) {
    case 'args':
      return comment + lines(proxyArguments(found));
    case 'paths':
      return comment + lines(found.acceptPaths);
    case 'patch': {
      const patch = { deployment: nameOf(declared, args), container: 'proxy' };
      return header(args.command) + formatYaml(proxyPatch(proxyArguments(found), patch));
    }
  }
}

function placementOf(declared: readonly Generating[], args: GenerateArguments): Placement {
  const { namespaces, installCrds, leaseName, ownNamespace: namespace, shards } = args;
  const sharded = shards !== undefined;
  const leaderElection = { namespace, sharded, ...(leaseName !== undefined && { leaseName }) };
  return { namespaces, installCrds, ...(isElected(declared, args) && { leaderElection }) };
}

function isElected(
  declared: readonly Generating[],
  { leaderElection }: GenerateArguments,
): boolean {
  return leaderElection ?? declared.some(({ needsLeaderElection = true }) => needsLeaderElection);
}

function nameOf(declared: readonly Generating[], { name }: GenerateArguments): string {
  if (name !== undefined) return name;
  // A webhook is named after what it checks, so its name is not suitable for an operator.
  const operators = declared.filter((each) => !isWebhook(each));
  const [first, ...others] = operators.length > 0 ? operators : declared;
  if (first !== undefined && others.length === 0) return first.name;
  const names = declared.map((each) => each.name).join(', ');
  throw new ConfigurationError(`several controllers (${names}): name the operator with --name`);
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
