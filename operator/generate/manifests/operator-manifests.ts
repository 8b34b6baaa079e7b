import { posix } from 'node:path';
import type { Declared } from '../../controller/access-declaration.ts';
import { definedResources } from '../../controller/controller.ts';
import { formatYaml } from '../../core/yaml.ts';
import { AMBASSADOR_FLAGS, isOwnAmbassador } from '../filter/ambassador-image.ts';
import { type ProxyFilter, proxyFilter, proxyPatch } from '../filter/proxy-filter.ts';
import { type Placement, POD_NAMESPACE } from '../placement.ts';
import { type RbacRole, type RbacRoleBinding, rbac } from '../rbac/rbac.ts';
import {
  documents,
  fromTemplate,
  header,
  listLines,
  type ManifestFile,
  scalar,
  type TemplateValues,
  templateText,
} from './manifest-file.ts';
import {
  electionOf,
  leaseNameOf,
  type ManifestsOptions,
  requireUsable,
} from './manifests-options.ts';
import { configMapOf, folderItems } from './mounted-folder.ts';

/**
 * Files of the components that fit every operator. They select the one Deployment by its kind, and copy names
 * from it. The only placeholder of their templates is the path of kubectl in the ambassador's image.
 */
export const GENERIC_FILES: readonly string[] = [
  'components/debug/kustomization.yaml',
  'components/high-availability/kustomization.yaml',
  'components/high-availability/pod-disruption-budget.yaml',
  'components/native-sidecar/kustomization.yaml',
  'components/native-sidecar/copy/kustomization.yaml',
  'components/network-policy/kustomization.yaml',
  'components/network-policy/network-policy.yaml',
  'components/prometheus/kustomization.yaml',
  'components/prometheus/pod-monitor.yaml',
  'components/unix-socket/kustomization.yaml',
];

const GENERIC_HEADER = '# Written by `chancery generate manifests`, the same for every operator.\n';

/**
 * A complete kustomize tree for an operator with these declarations: `base`, the components, `overlays`, and
 * `crds` when resources have definitions that the operator does not install itself. Equal declarations and
 * options give equal files.
 *
 * The base alone has no rights. Exactly one scope component must be used: it grants the rights, opens the
 * filter and sets the watched namespaces. The other components fit every operator.
 *
 * @throws ConfigurationError `CONFIG` for an option that cannot be part of a manifest, and for the reasons of
 *   `rbac` and `proxyFilter`.
 */
export function operatorManifests(
  declared: readonly Declared[],
  options: ManifestsOptions,
): readonly ManifestFile[] {
  requireUsable(options);
  const crds = options.installCrds ? [] : crdFolder(declared, options.command);
  return [
    ...base(options),
    ...scopeComponent('namespaced', declared, options),
    ...scopeComponent('cluster-scoped', declared, options),
    ...(options.components === undefined ? genericComponents(options) : []),
    ...crds,
    ...overlays(options, crds.length > 0 && options.program?.sharesDefinitions !== true),
  ];
}

function genericComponents({ images }: ManifestsOptions): readonly ManifestFile[] {
  const kubectl = kubectlOf(images.ambassador);
  return GENERIC_FILES.map((path) => fromTemplate(path, GENERIC_HEADER, { kubectl }));
}

/** Other images have kubectl in different folders of their PATH. */
function kubectlOf(image: string): string {
  return isOwnAmbassador(image) ? '/kubectl' : 'kubectl';
}

/** One overlay for each scope. Users apply it unchanged, or start their own overlays from it. */
function overlays(options: ManifestsOptions, hasCrds: boolean): readonly ManifestFile[] {
  const { command, name, components = 'components', resources = [] } = options;
  const all = [...(hasCrds ? ['../../crds'] : []), ...resources.map(fromOverlay)];
  const values = {
    name,
    components: posix.join('../..', components),
    resources: listLines(all.map(scalar)),
  };
  return ['namespaced', 'cluster-scoped'].map((scope) =>
    fromTemplate(`overlays/${scope}/kustomization.yaml`, header(command), values),
  );
}

/** Turns a path relative to the folder of the tree into one relative to an overlay; a URL stays unchanged. */
function fromOverlay(resource: string): string {
  return resource.includes('://') ? resource : posix.join('../..', resource);
}

export type Scope = 'namespaced' | 'cluster-scoped';

const WHY = ['What the controllers declare, and no more.'];

/** The component that lets an operator work in its own namespace or in all namespaces. */
function scopeComponent(
  scope: Scope,
  declared: readonly Declared[],
  options: ManifestsOptions,
): readonly ManifestFile[] {
  const folder = `components/${scope}`;
  const comment = header(options.command);
  const name = scalar(options.name);
  const namespaces = watchedBy(scope, options);
  const rights = roles(declared, { namespaces, installCrds: options.installCrds }, options);
  return [
    fromTemplate(`${folder}/kustomization.yaml`, comment, {}),
    { path: `${folder}/rbac.yaml`, text: documents(header(options.command, ...WHY), rights) },
    { path: `${folder}/proxy-filter.yaml`, text: filterFile(declared, namespaces, options) },
    fromTemplate(`${folder}/watch-namespace.yaml`, comment, { name }),
  ];
}

function watchedBy(scope: Scope, { watched }: ManifestsOptions): Placement['namespaces'] {
  if (watched !== undefined) return watched === 'all' ? undefined : watched;
  return scope === 'namespaced' ? [POD_NAMESPACE] : undefined;
}

function filterFile(
  declared: readonly Declared[],
  namespaces: Placement['namespaces'],
  options: ManifestsOptions,
): string {
  const { installCrds, command } = options;
  const filter = proxyFilter(declared, { namespaces, installCrds, ...electionOf(options) });
  return documents(header(command, ...WHY), [filterPatch(filter, options)]);
}

/** The arguments of the ambassador. Our own image already has the flags that are not the filter's. */
function filterPatch(filter: ProxyFilter, { name, images }: ManifestsOptions): object {
  const before = isOwnAmbassador(images.ambassador) ? [] : ['proxy', ...AMBASSADOR_FLAGS];
  return proxyPatch(filter, { deployment: name, container: 'proxy', before });
}

/** Seconds between the end of the operator's stop budget and the end of the Pod. */
const GRACE_SECONDS = 15;

/**
 * The files that every operator has. They allow it to start, to ask for its rights and to take part in leader
 * election, and nothing else.
 */
function base(options: ManifestsOptions): readonly ManifestFile[] {
  const election = electionOf(options);
  const rights = roles([], { namespaces: [POD_NAMESPACE], ...election }, options, '-election');
  const values = { name: scalar(options.name), namespace: scalar(options.namespace) };
  const rbac = rights.length > 0 ? '- rbac.yaml\n' : '';
  const folder = options.program?.folder;
  const file = (name: string, more: TemplateValues = {}): ManifestFile =>
    fromTemplate(`base/${name}.yaml`, header(options.command), { ...values, ...more });
  return [
    file('kustomization', {
      rbac,
      folder: folder === undefined ? '' : `- ${scalar(folder.fromBase)}\n`,
    }),
    file('namespace'),
    file('service-account'),
    ...(rights.length > 0 ? [{ path: 'base/rbac.yaml', text: rbacFile(options, rights) }] : []),
    file('deployment', deploymentValues(options)),
    { path: 'base/proxy-filter.yaml', text: baseFilterFile(options) },
  ];
}

/** kubectl asks the ambassador for a path that every filter opens. */
const PROBE_ARGUMENTS = [
  '--server=http://127.0.0.1:8001',
  'get',
  '--raw=/version',
  '--request-timeout=3s',
];

function deploymentValues(options: ManifestsOptions): TemplateValues {
  const { images, modules, stopSeconds, leaderElection, installCrds } = options;
  const part = (name: string, values: TemplateValues = {}): string =>
    templateText(`base/parts/${name}.yaml`, values);
  const isOwn = isOwnAmbassador(images.ambassador);
  return {
    strategy: part(leaderElection ? 'strategy-with-election' : 'strategy-without-election'),
    graceSeconds: stopSeconds + GRACE_SECONDS,
    stopSeconds,
    proxyImage: scalar(images.ambassador),
    proxyImageNote: isOwn
      ? ' # its entry point refuses every path until proxy-filter.yaml opens some'
      : '',
    stockCommand: isOwn ? '' : part('stock-command'),
    stockEnvironment: isOwn ? '' : part('stock-environment'),
    probeCommand: `command: [${[kubectlOf(images.ambassador), ...PROBE_ARGUMENTS].join(', ')}]\n`,
    operatorImage: scalar(images.operator),
    modules: listLines(
      options.program?.words.map(programWord) ?? [...modules.map(scalar), ...moduleWords(options)],
    ),
    ...folderValues(options),
    leaderElection: leaderElection
      ? part('env-with-election', { leaseName: scalar(leaseNameOf(options)) })
      : '',
    installCrds: installCrds ? part('env-install-crds') : '',
  };
}

/** Its programs run beside the operator in its container, several at a time. */
function folderValues({ name, program }: ManifestsOptions): TemplateValues {
  const folder = program?.folder;
  const limits = (memory: string): string =>
    `limits: { memory: ${memory} } # no CPU limit: it would delay the renewal of a Lease\n`;
  if (folder === undefined) return { mounts: '', volumes: '', limits: limits('256Mi') };
  const configMap = scalar(configMapOf(folder, name));
  const { mount } = folder;
  return {
    mounts: templateText('base/parts/folder-mounts.yaml', { folder: mount }),
    volumes: templateText('base/parts/folder-volumes.yaml', {
      ...{ folder: mount, configMap, items: folderItems(folder) },
    }),
    limits: limits('512Mi'),
  };
}

/** The words after the modules. */
function moduleWords({ moduleArgs = [] }: ManifestsOptions): readonly string[] {
  const words = moduleArgs.length === 0 ? [] : ['--', ...moduleArgs];
  return words.map(argumentText);
}

/** The kubelet would replace `$(NAME)` in an argument, unless each `$` is doubled. */
function argumentText(word: string): string {
  return JSON.stringify(word.replaceAll('$', '$$$$'));
}

/** A word of `chancery` itself is written as it is. */
function programWord(word: string): string {
  return /^[a-z/][a-z0-9/-]*$/.test(word) ? scalar(word) : argumentText(word);
}

function rbacFile({ command }: ManifestsOptions, rights: readonly object[]): string {
  const why = ['The election: its Lease by name, and the Event that says who leads.'];
  return documents(header(command, ...why), rights);
}

function baseFilterFile(options: ManifestsOptions): string {
  const placement = { namespaces: [POD_NAMESPACE], ...electionOf(options) };
  const patch = filterPatch(proxyFilter([], placement), options);
  const why = ['What every operator asks for. A component replaces it by all that this one does.'];
  return documents(header(options.command, ...why), [patch]);
}

/**
 * Roles and bindings for the operator's ServiceAccount. Each names its namespace: an overlay that moves the
 * operator finds them by it, and an overlay that does not mention them keeps them.
 *
 * @param suffix - added to the operator's name for their names.
 */
function roles(
  declared: readonly Declared[],
  placement: Placement,
  { name, namespace }: Pick<ManifestsOptions, 'name' | 'namespace'>,
  suffix: string = '',
): readonly (RbacRole | RbacRoleBinding)[] {
  const granted = rbac(declared, {
    ...placement,
    name: `${name}${suffix}`,
    serviceAccount: { name, namespace },
  });
  return granted.map((object) => {
    const isOurs = object.kind === 'Role' || object.kind === 'RoleBinding';
    if (!isOurs || object.metadata.namespace !== undefined) return object;
    return { ...object, metadata: { ...object.metadata, namespace } };
  });
}

/**
 * The definitions that the resources of `declared` have, one file each, named after the definition; empty
 * when there are none.
 *
 * @throws ConfigurationError `CONFIG` when two of them declare one resource differently.
 */
export function crdDocuments(declared: readonly Declared[]): readonly ManifestFile[] {
  return definedResources(declared).map(({ definition }) => ({
    path: `${definition.metadata.name}.yaml`,
    text: formatYaml(definition),
  }));
}

/** The same definitions as the folder `crds/` of a tree; empty when there are none. */
function crdFolder(declared: readonly Declared[], command: string): readonly ManifestFile[] {
  const files = crdDocuments(declared);
  if (files.length === 0) return [];
  const definitions = listLines(files.map(({ path }) => path));
  return [
    fromTemplate('crds/kustomization.yaml', header(command), { definitions }),
    ...files.map(({ path, text }) => ({ path: `crds/${path}`, text: header(command) + text })),
  ];
}
