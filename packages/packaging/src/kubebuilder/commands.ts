import { ConfigurationError } from 'chancery';
import type { Change, RecordedChange } from './change.ts';
import { type FlagValues, flagValues } from './flags.ts';
import { hasGoManager, withAmbassador } from './go-project.ts';
import { isGoPlugin, type ProjectConfig, projectConfig } from './project.ts';
import { PLUGIN_KEY, type PluginRequest } from './protocol.ts';
import { type ProjectRecord, RECORD_FILE, readRecord, recordText } from './record.ts';
import {
  type TypescriptContext,
  type TypescriptScaffold,
  withoutRemovedKinds,
  withTypescript,
  withTypescriptKind,
} from './typescript.ts';

/** The values that the commands take from their caller. */
export interface CommandParts {
  typescript(): Promise<TypescriptScaffold>;
  /** The name of the working directory. */
  readonly folderName: string;
}

/** `init`: adds the ambassador to a new Go project, or creates a TypeScript project. */
export async function initProject(request: PluginRequest, parts: CommandParts): Promise<Change> {
  const flags = flagValues('init', request.args);
  return recorded(await ambassadorAndTypescript(request, parts, flags));
}

/**
 * `edit`: the same as `init` in an existing project. Flags that are not given keep their values.
 */
export async function editProject(request: PluginRequest, parts: CommandParts): Promise<Change> {
  const flags = flagValues('edit', request.args);
  return recorded(await ambassadorAndTypescript(request, parts, flags));
}

/** `create api`: adds the permissions for a new kind in Go, or creates a new kind in TypeScript. */
export async function createApi(request: PluginRequest, parts: CommandParts): Promise<Change> {
  const flags = flagValues('api', request.args, ['group', 'version', 'kind']);
  const { record, messages } = withoutRemovedKinds(readRecord(request.universe), request);
  const project = projectConfig(request.config);
  const hasGo = hasGoManager(request);
  const isTypescript = flags.bool('typescript') ?? !hasGo;
  if (!isTypescript) {
    const change = await withAmbassador(request, record, flags, true);
    return recorded({ ...change, messages: [...messages, ...change.messages] });
  }
  const alsoGo = request.pluginChain.find(isGoPlugin);
  if (alsoGo !== undefined) {
    throw new ConfigurationError(
      `--typescript cannot go together with ${alsoGo}, which makes the kind in Go: name this plugin alone, ` +
        `--plugins ${PLUGIN_KEY}`,
    );
  }
  const context = await contextOf(request, parts, project, record);
  const change = await withTypescriptKind(context, hasGo, flags);
  return recorded({ ...change, messages: [...messages, ...change.messages] });
}

async function ambassadorAndTypescript(
  request: PluginRequest,
  parts: CommandParts,
  flags: FlagValues,
): Promise<RecordedChange> {
  const { record: before, messages: removed } = withoutRemovedKinds(
    readRecord(request.universe),
    request,
  );
  const project = projectConfig(request.config);
  const hasGo = hasGoManager(request);
  if (!hasGo) requireNoAmbassadorFlag(flags);
  const wantsTypescript = flags.bool('typescript') === true || !hasGo;
  let change: RecordedChange = { files: new Map(), messages: removed, record: before };
  if (hasGo) change = added(change, await withAmbassador(request, change.record, flags, false));
  if (wantsTypescript) {
    const context = await contextOf(request, parts, project, change.record);
    change = added(change, await withTypescript(context, hasGo));
  }
  return change;
}

/**
 * Refuses flags of the ambassador in a TypeScript project. There, the components in deploy/ decide
 * how the operator reaches its ambassador.
 */
function requireNoAmbassadorFlag(flags: FlagValues): void {
  const isGiven =
    flags.bool('unix-socket') !== undefined ||
    flags.text('proxy-port') !== undefined ||
    flags.text('ambassador-image') !== undefined;
  if (!isGiven) return;
  throw new ConfigurationError(
    'there is no manager in Go that --proxy-port, --unix-socket and --ambassador-image could change: in a project of ' +
      'TypeScript, npm run generate writes the ambassador, and the components in deploy/ change it',
  );
}

async function contextOf(
  request: PluginRequest,
  parts: CommandParts,
  project: ProjectConfig,
  record: ProjectRecord,
): Promise<TypescriptContext> {
  return {
    ...{ request, project, record },
    scaffold: await parts.typescript(),
    folderName: parts.folderName,
  };
}

function added(a: RecordedChange, b: RecordedChange): RecordedChange {
  return {
    files: new Map([...a.files, ...b.files]),
    messages: [...a.messages, ...b.messages],
    record: b.record,
  };
}

function recorded({ files, messages, record }: RecordedChange): Change {
  return { files: new Map([...files, [RECORD_FILE, recordText(record)]]), messages };
}
