import { ConfigurationError } from 'chancery';
import type { RecordedChange } from './change.ts';
import type { FlagValues } from './flags.ts';
import { isSameKind, requireFreeName } from './free-name.ts';
import { type ProjectConfig, qualifiedGroup } from './project.ts';
import type { PluginRequest } from './protocol.ts';
import type { ProjectRecord, RecordedKind } from './record.ts';

/** Files of a TypeScript project, keyed by their paths relative to its folder. */
type Files = ReadonlyMap<string, string>;

/** A kind with the names on the command line. */
export interface AskedKind {
  /** The group with the domain. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural. If undefined, it is derived from the kind. */
  readonly plural: string | undefined;
  readonly owns: string | undefined;
  readonly isNamespaced: boolean;
  /**
   * The folder below `src` for the files of the kind. Its name is also part of the names of the
   * kind. Undefined when names need no group.
   */
  readonly groupFolder: string | undefined;
}

/** The files of a new kind. */
export interface ScaffoldedKind {
  readonly files: Files;
  readonly plural: string;
  /** The file of the controller, one of `files`. */
  readonly controllerFile: string;
  /**
   * The text of the module that lists the controllers, with the new controller added.
   *
   * @throws ConfigurationError `CONFIG` when the text cannot be parsed.
   */
  listedIn(module: string): string;
}

/**
 * The templates of `chancery init` and `chancery create`. They are loaded only for requests about
 * TypeScript.
 */
export interface TypescriptScaffold {
  /**
   * The files that do not depend on kinds.
   *
   * @param parts - `readme`: include a README, because the project is not a folder of another
   * project. `workflow`: include a workflow for CI, whose checks can only pass when there is a
   * kind.
   */
  project(
    name: string,
    parts: { readonly readme: boolean; readonly workflow: boolean },
  ): Promise<Files>;
  /**
   * The files of a new kind.
   *
   * @throws ConfigurationError `CONFIG` for an invalid name. The message contains the rule that the
   * name breaks.
   */
  kind(asked: AskedKind): ScaffoldedKind;
}

/** The values that the commands for TypeScript need. */
export interface TypescriptContext {
  readonly request: PluginRequest;
  readonly project: ProjectConfig;
  readonly record: ProjectRecord;
  readonly scaffold: TypescriptScaffold;
  /** The name of the working directory, for a project without a name in PROJECT. */
  readonly folderName: string;
}

type Recorded = NonNullable<ProjectRecord['typescript']>;

/**
 * The folder of the TypeScript project in a project with Go. In a project without Go, TypeScript is
 * in the root folder.
 */
const FOLDER_BESIDE_GO = 'typescript';
const MODULE = 'src/operator.ts';

/**
 * Adds a TypeScript project. Existing files are not changed.
 *
 * @param hasKind - if false, the project gets no workflow yet, because tests, types and manifests
 * need a kind.
 */
export async function withTypescript(
  { request, project, record, scaffold, folderName }: TypescriptContext,
  hasGo: boolean,
  hasKind: boolean = (record.typescript?.kinds.length ?? 0) > 0,
): Promise<RecordedChange> {
  const { folder, kinds } = record.typescript ?? {
    folder: hasGo ? FOLDER_BESIDE_GO : '',
    kinds: [],
  };
  const base = project.projectName ?? folderName;
  const name = packageName(folder === '' ? base : `${base}-${FOLDER_BESIDE_GO}`);
  const readme = folder === '';
  const all = inFolder(
    folder,
    await scaffold.project(name, { readme, workflow: readme && hasKind }),
  );
  const isThere = presence(request);
  const kept = [...all.keys()].filter(isThere);
  const isNew = record.typescript === undefined;
  return {
    files: new Map([...all].filter(([path]) => !isThere(path))),
    messages: [
      ...(isNew && kept.length > 0
        ? [`these files were there before, and stay as they are: ${kept.join(', ')}`]
        : []),
      ...(isNew && !hasKind
        ? [
            'the project has no kind yet, which npm test and npm run generate need: next, kubebuilder create api',
          ]
        : []),
    ],
    record: { ...record, typescript: { folder, kinds } },
  };
}

/**
 * Adds a kind in TypeScript. If there is no TypeScript project, adds it first. If the kind is
 * complete, changes nothing.
 *
 * @throws ConfigurationError `CONFIG` when Go already has the kind, or when files would be
 * overwritten.
 */
export async function withTypescriptKind(
  context: TypescriptContext,
  hasGo: boolean,
  flags: FlagValues,
): Promise<RecordedChange> {
  const { request, project, scaffold } = context;
  const asked = askedKind(flags, project);
  const base = await withTypescript(context, hasGo, true);
  const typescript = base.record.typescript ?? { folder: '', kinds: [] };
  const kind = scaffold.kind(asked);
  requireFreeName(asked, kind.plural, typescript.kinds, project);
  const files = inFolder(typescript.folder, kind.files);
  const controllerFile = inside(typescript.folder, kind.controllerFile);
  const isRecorded = typescript.kinds.some((each) => isSameKind(each, asked));
  const isThere = presence(request);
  const conflicts = [...files.keys()].filter(isThere);
  if (!isRecorded && conflicts.length > 0) {
    throw new ConfigurationError(
      `${conflicts.join(', ')} would be overwritten: move these files away, or choose another kind`,
    );
  }
  const modulePath = inside(typescript.folder, MODULE);
  const module = request.universe.get(modulePath) ?? base.files.get(modulePath);
  if (module === undefined) throw missingModule(modulePath);
  const { group, version, kind: name } = asked;
  const entry: RecordedKind = {
    group,
    version,
    kind: name,
    plural: kind.plural,
    file: controllerFile,
  };
  const missing = [...files].filter(([path]) => !isThere(path));
  return {
    files: new Map([...base.files, ...missing, [modulePath, kind.listedIn(module)]]),
    messages: [
      ...base.messages,
      `${name} of ${group}/${version} is in ${controllerFile}; next, in ${folderWord(typescript)}: npm install, npm test, npm run generate`,
    ],
    record: {
      ...base.record,
      typescript: { ...typescript, kinds: withKind(typescript.kinds, entry) },
    },
  };
}

/**
 * Removes from the record the kinds whose controller file no longer exists. `npm run generate` then
 * updates the manifests. Objects in clusters are not removed, so the messages ask the user to
 * decide about them.
 */
export function withoutRemovedKinds(
  record: ProjectRecord,
  { paths, universe }: PluginRequest,
): { readonly record: ProjectRecord; readonly messages: readonly string[] } {
  const { typescript } = record;
  const removed = typescript?.kinds.filter(({ file }) => !paths.has(file)) ?? [];
  if (typescript === undefined || removed.length === 0) return { record, messages: [] };
  const module = inside(typescript.folder, MODULE);
  const messages = removed.map(({ group, kind, plural, file }) => {
    const imported = file.slice(module.length - 'operator.ts'.length);
    const isListed = universe.get(module)?.includes(`'./${imported}'`) === true;
    const first = isListed ? `remove its import and its name from ${module}, then run` : 'run';
    return (
      `${file} is gone, and ${kind} of ${group} with it: ${first} npm run generate in ${folderWord(typescript)}, which ` +
      `removes its definition from deploy/. Objects of it in clusters stay, and nothing reconciles them: look for them ` +
      `with kubectl get ${plural}.${group} -A, and delete the definition ${plural}.${group} when they may be deleted`
    );
  });
  const kinds = typescript.kinds.filter(({ file }) => paths.has(file));
  return { record: { ...record, typescript: { ...typescript, kinds } }, messages };
}

function askedKind(flags: FlagValues, { domain, isMultigroup }: ProjectConfig): AskedKind {
  const [group = '', version, kind] = ['group', 'version', 'kind'].map((name) => flags.text(name));
  if (version === undefined || kind === undefined) {
    throw new ConfigurationError('create api needs --group, --version and --kind');
  }
  return {
    ...{ group: qualifiedGroup(group, domain), version, kind },
    plural: flags.text('plural-name'),
    owns: flags.text('owns'),
    isNamespaced: flags.bool('cluster-scoped') !== true,
    groupFolder: isMultigroup && group !== '' ? group : undefined,
  };
}

/**
 * A function that checks whether a file exists. Folders of macOS and Windows do not distinguish
 * `Cart.ts` and `cart.ts`.
 */
function presence({ paths }: PluginRequest): (path: string) => boolean {
  const folded = new Set([...paths].map((path) => path.toLowerCase()));
  return (path) => folded.has(path.toLowerCase());
}

function withKind(kinds: readonly RecordedKind[], kind: RecordedKind): readonly RecordedKind[] {
  const others = kinds.filter((each) => each.file !== kind.file);
  return [...others, kind].sort((a, b) => (a.file < b.file ? -1 : 1));
}

function missingModule(path: string): ConfigurationError {
  return new ConfigurationError(
    `${path} is missing, or too long to be read: it lists the controllers; restore it, or write export default []; into it`,
  );
}

/**
 * A name that npm and Kubernetes accept: at most 63 of a-z, 0-9 and "-". It is cut to 50, to leave
 * room for suffixes.
 */
function packageName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replaceAll(/^[^a-z]+|-+$/g, '');
  return name === '' ? 'operator' : name;
}

function inFolder(folder: string, files: Files): Files {
  return new Map([...files].map(([path, text]) => [inside(folder, path), text]));
}

function inside(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}

function folderWord({ folder }: Recorded): string {
  return folder === '' ? 'this folder' : `${folder}/`;
}
