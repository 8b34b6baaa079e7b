import { readFile } from 'node:fs/promises';
import { ConfigurationError, type KubernetesObject, messageOf } from 'chancery';
import {
  type ControllerFiles,
  type DeclaredControllers,
  type Io,
  knownKinds,
  type ManifestDocument,
  METACONTROLLER,
  POD_NAMESPACE,
  parseFlags,
  readManifests,
} from 'chancery/internal';
import { parseFunctions } from '../call/functions/parse-functions.ts';
import type { FunctionsFile } from '../call/functions-file.ts';
import { METACONTROLLER_GROUP } from '../definitions/definition.ts';
import { InvalidSpecError, parseController } from '../parse/parse-controller.ts';
import { controllerTitle } from '../rights/controller-access.ts';
import { metacontrollerAccess } from '../rights/metacontroller-access.ts';
import type { ControllerSpec } from '../spec.ts';
import { metacontrollerArguments } from './arguments.ts';

/**
 * The declarations of CompositeControllers and DecoratorControllers in files. No request is sent to
 * the API server.
 *
 * @throws ConfigurationError `CONFIG` when a file cannot be read, when a controller is invalid, and
 * when the definition of a resource is missing.
 */
export async function declaredControllers(
  { files, functions: path, crds, args }: ControllerFiles,
  io: Pick<Io, 'stdin'>,
): Promise<DeclaredControllers> {
  const {
    options,
    functions: other,
    leaderElection,
  } = metacontrollerArguments(parseFlags(args, METACONTROLLER));
  if (other !== undefined) throw new ConfigurationError('--functions must stand before "--"');
  const given = (await readManifests(files, io.stdin, '--from-metacontroller ')).flatMap(itemsOf);
  const definitions = await readManifests(crds, io.stdin, '--crd ');
  const known = knownKinds([...given, ...definitions.flatMap(itemsOf)].map(({ value }) => value));
  const functions = path === undefined ? undefined : await functionsOf(path);
  const specs = given.filter(isController).map(parsed);
  if (specs.length === 0) {
    const message = `no CompositeController and no DecoratorController in ${files.join(', ')}`;
    throw new ConfigurationError(message);
  }
  refuseRepeated(specs);
  const { declarations, unknown } = metacontrollerAccess(specs, {
    resolve: ({ apiVersion, resource }) => known.ofReference(resource, apiVersion),
    hasStatus: known.hasStatus,
    functions,
    ownNamespace: POD_NAMESPACE,
    applyStrategy: options.applyStrategy,
    fieldManager: options.fieldManager,
  });
  if (unknown.length > 0) {
    throw new ConfigurationError(
      `the rights need the definitions of ${unknown.join('; ')}: name their files with --crd, or put them into ` +
        'the file of the controllers',
    );
  }
  const hints = specs.flatMap((spec) => hintsFor(spec, functions));
  return { declarations, hints, elects: leaderElection };
}

/**
 * The objects in a `List`, which `kubectl get -o yaml` prints. Any other document is returned
 * unchanged.
 */
function itemsOf({ file, value }: ManifestDocument): readonly ManifestDocument[] {
  const { kind, items } = Object(value) as { readonly kind?: unknown; readonly items?: unknown };
  const isList = typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
  return isList ? items.map((item: unknown) => ({ file, value: item })) : [{ file, value }];
}

const CONTROLLER_KINDS: readonly unknown[] = ['CompositeController', 'DecoratorController'];

function isController({ value }: ManifestDocument): boolean {
  const { apiVersion, kind } = Object(value) as Partial<KubernetesObject>;
  const [group] = typeof apiVersion === 'string' ? apiVersion.split('/') : [];
  return group === METACONTROLLER_GROUP && CONTROLLER_KINDS.includes(kind);
}

function parsed({ file, value }: ManifestDocument): ControllerSpec {
  const object = value as KubernetesObject;
  try {
    return parseController(object);
  } catch (error) {
    if (!(error instanceof InvalidSpecError)) throw error;
    const name = (object.metadata as unknown as { name?: unknown } | undefined)?.name ?? '';
    const place = `${file}: ${object.kind} ${String(name)}`.trim();
    throw new ConfigurationError(`${place}: ${error.message}`, { cause: error });
  }
}

function refuseRepeated(specs: readonly ControllerSpec[]): void {
  const titles = specs.map(controllerTitle);
  const twice = titles.find((title, at) => titles.indexOf(title) < at);
  if (twice !== undefined) throw new ConfigurationError(`${twice} is given twice`);
}

/**
 * Parses the file of functions. It is not checked whether programs and modules exist, because they
 * may exist only in the image.
 */
async function functionsOf(path: string): Promise<FunctionsFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const message = `cannot read --functions ${path}: ${messageOf(error)}`;
    throw new ConfigurationError(message, { cause: error });
  }
  return parseFunctions(text, path);
}

function hintsFor(spec: ControllerSpec, functions: FunctionsFile | undefined): readonly string[] {
  const mounted = functions?.functionsFor(spec.kind, spec.name);
  const customize = spec.hooks.customize?.webhook ?? mounted?.hooks.customize;
  const related = [...spec.relatedResources, ...(mounted?.related ?? [])];
  if (customize === undefined || related.length > 0) return [];
  return [
    `${controllerTitle(spec)}: its customize hook can name no resource; declare those that it names with the ` +
      'annotation metacontroller.chancery.dev/related-resources: v1/configmaps,apps/v1/deployments',
  ];
}
