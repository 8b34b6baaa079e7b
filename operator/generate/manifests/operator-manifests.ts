import { posix } from 'node:path';
import { proxyPatch } from '../../access/filter/proxy-filter.ts';
import type { Declared } from '../../controller/access-declaration.ts';
import { definedResources } from '../../controller/controller.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { formatYaml } from '../../core/yaml.ts';
import type { CustomResourceDefinition } from '../../model/custom-resource-definition.ts';
import { dashboardFile } from '../monitoring/monitoring.ts';
import { certificatesOperator } from './certificates-operator.ts';
import { type ComponentName, componentValues } from './component-model.ts';
import { deploymentValues } from './deployment-template.ts';
import { objectFileNames } from './given-objects.ts';
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
import type { ManifestsOptions } from './manifests-options.ts';
import { definitionsOf, type OperatorModel, operatorModel, type Scope } from './operator-model.ts';
import { overlayComponents } from './rendered-objects.ts';

/**
 * Files of the components that are the same for every operator. There is only one Deployment, so
 * these components select it by its kind, and copy names from it. The only placeholder in their
 * templates is the path of kubectl in the ambassador's image.
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
 * A complete kustomize tree for an operator with these declarations: `base`, the components,
 * `overlays`, and `crds` if resources have definitions that the operator does not install itself.
 * Equal declarations and options give equal files.
 *
 * The base alone has no rights. Exactly one scope component must be used: it grants the rights,
 * opens the filter and sets the watched namespaces. The other components fit every operator.
 *
 * @throws ConfigurationError `CONFIG` for an option that cannot be part of a manifest, for shared
 * components with a `metricsClientCa`, and in the same cases as `rbac` and `proxyFilter`.
 */
export function operatorManifests(
  declared: readonly Declared[],
  options: ManifestsOptions,
): readonly ManifestFile[] {
  const model = operatorModel(declared, options);
  if (options.components !== undefined && model.webhooks?.scraping !== undefined) {
    throw new ConfigurationError(
      '--metrics-client-ca needs components with names of this operator: leave out --components',
    );
  }
  const crds = options.installCrds ? [] : crdFolder(model);
  return [
    ...base(model),
    ...scopeComponent('namespaced', model),
    ...scopeComponent('cluster-scoped', model),
    ...(options.components === undefined
      ? [...genericComponents(model), ...monitoringComponent(model)]
      : []),
    ...crds,
    ...certificatesFolder(model),
    ...resourcesFolder(options),
    ...overlays(model, crds.length > 0 && options.program?.sharesDefinitions !== true),
  ];
}

function genericComponents({ options, webhooks }: OperatorModel): readonly ManifestFile[] {
  const { ambassador } = options.images;
  const plain = componentValues(ambassador, undefined);
  const own = componentValues(ambassador, webhooks?.scraping);
  return GENERIC_FILES.map((path) => {
    // Components for metrics behind a gate contain names of this operator.
    const isGeneric = templateText(path, plain) === templateText(path, own);
    return fromTemplate(path, isGeneric ? GENERIC_HEADER : header(options.command), own);
  });
}

/**
 * Alerts and a dashboard. Of all components, only this one and the scopes contain the name of the
 * operator.
 */
function monitoringComponent({ monitoring, options }: OperatorModel): readonly ManifestFile[] {
  const { command, name, namespace } = options;
  const folder = 'components/monitoring';
  const file = dashboardFile(name);
  return [
    fromTemplate(`${folder}/kustomization.yaml`, header(command), {
      name,
      namespace: scalar(namespace),
      dashboard: scalar(monitoring.dashboard.metadata.name),
      file: scalar(file),
    }),
    { path: `${folder}/rules.yaml`, text: documents(header(command), [monitoring.rules]) },
    { path: `${folder}/dashboard.json`, text: monitoring.dashboard.data[file] ?? '' },
  ];
}

/** The reason why an overlay contains a component by default. It becomes a comment in the overlay. */
function whyComponent(name: ComponentName, { shards }: ManifestsOptions): string {
  if (name === 'native-sidecar') {
    return 'the gate ends with the operator, and not after the ambassador has waited';
  }
  return shards === undefined
    ? 'the API server refuses requests while no replica answers: see webhooks.yaml'
    : 'the replicas share the work';
}

/** One overlay per scope. Users apply it unchanged, or base their own overlays on it. */
function overlays(model: OperatorModel, hasCrds: boolean): readonly ManifestFile[] {
  const { options } = model;
  const { command, name, components = 'components', resources = [], objects = [] } = options;
  const all = [
    ...(hasCrds ? ['../../crds'] : []),
    ...(objects.length > 0 ? ['../../resources'] : []),
    ...resources.map(fromOverlay),
  ];
  const values = {
    name,
    components: posix.join('../..', components),
    resources: listLines(all.map(scalar)),
    availability: listLines(
      overlayComponents(model).map(
        (each) => `${posix.join('../..', components, each)} # ${whyComponent(each, options)}`,
      ),
    ),
  };
  return ['namespaced', 'cluster-scoped'].map((scope) =>
    fromTemplate(`overlays/${scope}/kustomization.yaml`, header(command), values),
  );
}

/**
 * The files of the operator `chancery certificates`. Empty unless this operator maintains the
 * certificate of the gate.
 */
function certificatesFolder(model: OperatorModel): readonly ManifestFile[] {
  const objects = certificatesOperator(model);
  const { command } = model.options;
  if (objects.length === 0) return [];
  return [
    fromTemplate('certificates/kustomization.yaml', header(command), {}),
    { path: 'certificates/operator.yaml', text: documents(header(command), objects) },
  ];
}

/**
 * The objects that are installed with the operator, in a folder for kustomize. Empty when there are
 * none.
 */
function resourcesFolder({ objects = [], command }: ManifestsOptions): readonly ManifestFile[] {
  if (objects.length === 0) return [];
  const files = objectFileNames(objects).map(([name, object]) => ({
    path: `${name}.yaml`,
    text: documents(header(command), [object]),
  }));
  const names = listLines(files.map(({ path }) => scalar(path)));
  return [
    fromTemplate('resources/kustomization.yaml', header(command), { files: names }),
    ...files.map(({ path, text }) => ({ path: `resources/${path}`, text })),
  ];
}

/**
 * Turns a path relative to the folder of the tree into a path relative to an overlay. A URL stays
 * unchanged.
 */
function fromOverlay(resource: string): string {
  return resource.includes('://') ? resource : posix.join('../..', resource);
}

const WHY_WEBHOOKS: Readonly<Record<Scope, string>> = {
  namespaced: "What the API server asks about, in the operator's namespace.",
  'cluster-scoped':
    "What the API server asks about, in every namespace but the operator's own, which must be able to start.",
};

const WHY = ['What the controllers declare, and no more.'];

/** The component for an operator that works in its own namespace, or in all namespaces. */
function scopeComponent(scope: Scope, { options, scopes }: OperatorModel): readonly ManifestFile[] {
  const folder = `components/${scope}`;
  const { command } = options;
  const name = scalar(options.name);
  const { rights, proxyArguments, webhooks } = scopes[scope];
  return [
    fromTemplate(`${folder}/kustomization.yaml`, header(command), {
      webhooks: webhooks.length > 0 ? '- webhooks.yaml\n' : '',
    }),
    ...(webhooks.length > 0
      ? [
          {
            path: `${folder}/webhooks.yaml`,
            text: documents(header(command, WHY_WEBHOOKS[scope]), webhooks),
          },
        ]
      : []),
    { path: `${folder}/rbac.yaml`, text: documents(header(command, ...WHY), rights) },
    {
      path: `${folder}/proxy-filter.yaml`,
      text: documents(header(command, ...WHY), [filterPatch(proxyArguments, options)]),
    },
    fromTemplate(`${folder}/watch-namespace.yaml`, header(command), { name }),
  ];
}

function filterPatch(args: readonly string[], { name }: ManifestsOptions): object {
  return proxyPatch(args, { deployment: name, container: 'proxy' });
}

/**
 * The files that every operator has. With these files alone, an operator can start, review its own
 * rights and take part in leader election, but do nothing else.
 */
function base(model: OperatorModel): readonly ManifestFile[] {
  const { electionArguments, electionRights, options } = model;
  const { command } = options;
  const values = { name: scalar(options.name), namespace: scalar(options.namespace) };
  const rbac = electionRights.length > 0 ? '- rbac.yaml\n' : '';
  const folder = options.program?.folder;
  const gate = gateFiles(model);
  const file = (name: string, more: TemplateValues = {}): ManifestFile =>
    fromTemplate(`base/${name}.yaml`, header(command), { ...values, ...more });
  const whyRights = 'The election: its Lease by name, and the Event that says who leads.';
  const whyFilter =
    'What every operator asks for. A component replaces it by all that this one does.';
  return [
    file('kustomization', {
      rbac,
      folder: folder === undefined ? '' : `- ${scalar(folder.fromBase)}\n`,
      webhooks: listLines(gate.map(({ path }) => posix.basename(path))),
    }),
    file('namespace'),
    file('service-account'),
    ...(electionRights.length > 0
      ? [{ path: 'base/rbac.yaml', text: documents(header(command, whyRights), electionRights) }]
      : []),
    file('deployment', deploymentValues(options, model.webhooks)),
    ...gate,
    {
      path: 'base/proxy-filter.yaml',
      text: documents(header(command, whyFilter), [filterPatch(electionArguments, options)]),
    },
  ];
}

/**
 * The definitions of the resources in `declared`, one file each, named after the definition. Empty
 * when there are none.
 *
 * @throws ConfigurationError `CONFIG` when two declarations define one resource differently.
 */
export function crdDocuments(declared: readonly Declared[]): readonly ManifestFile[] {
  return definitionFiles(definedResources(declared).map(({ definition }) => definition));
}

function definitionFiles(
  definitions: readonly CustomResourceDefinition[],
): readonly ManifestFile[] {
  return definitions.map((definition) => ({
    path: `${definition.metadata.name}.yaml`,
    text: formatYaml(definition),
  }));
}

/** The files of the gate. Empty when the operator has none. */
function gateFiles({ options, webhooks }: OperatorModel): readonly ManifestFile[] {
  if (webhooks === undefined) return [];
  const { certificates, objects } = webhooks;
  const file = (name: string, why: string, shown: readonly object[]): readonly ManifestFile[] =>
    shown.length === 0
      ? []
      : [{ path: `base/${name}.yaml`, text: documents(header(options.command, why), shown) }];
  return [
    ...file('gate', 'The container `gate` ends TLS for the operator.', objects),
    ...file('certificates', 'Where the certificate of the gate comes from.', certificates.objects),
  ];
}

/** The folder `crds/` of the tree with the definitions. Empty when there are none. */
function crdFolder({ access, options, webhooks }: OperatorModel): readonly ManifestFile[] {
  const { command } = options;
  const files = definitionFiles(definitionsOf(access, options, webhooks));
  if (files.length === 0) return [];
  const names = listLines(files.map(({ path }) => path));
  return [
    fromTemplate('crds/kustomization.yaml', header(command), { definitions: names }),
    ...files.map(({ path, text }) => ({ path: `crds/${path}`, text: header(command) + text })),
  ];
}
