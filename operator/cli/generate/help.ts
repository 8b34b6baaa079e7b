import type { Command } from '../command.ts';
import { table } from '../help.ts';

/** What `chancery generate --help` prints. */
const GENERATE_HELP: string = `Usage: chancery generate rbac|crd|proxy|manifests|chart|bundle MODULE... [OPTION...] [-- ARGUMENT...]
       chancery generate rbac|proxy|manifests|chart|bundle --hooks DIR [--crd FILE]... [OPTION...]
       chancery generate rbac|crd|proxy|manifests|chart|bundle --from-metacontroller FILE
                         [--functions FILE] [--crd FILE]... [OPTION...]
       chancery generate catalog BUNDLE_DIR... --image REF... -o DIR [OPTION...]

Writes what follows from the declarations of the controllers that the modules export:

${table([
  ['rbac', 'Roles or ClusterRoles with their bindings, and no right more than is declared'],
  ['crd', 'the CustomResourceDefinitions that the resources bring along'],
  ['proxy', "the ambassador's filter, as arguments of kubectl proxy"],
  ['manifests', 'a complete kustomize tree: base, components, overlays'],
  ['chart', 'the same as a Helm chart'],
  ['bundle', 'the same as a bundle for the Operator Lifecycle Manager (OLM)'],
  ['catalog', 'a file-based catalog, from which OLM installs bundles'],
])}

Chart, bundle and catalog need the package @chancery/packaging beside chancery, --hooks @chancery/hooks, and
--from-metacontroller @chancery/metacontroller: npm install PACKAGE

Manifests, chart and bundle have the same containers, the same rights and the same filter. A chart and a bundle
also need to know the version of the operator and what catalogs show of it: package.json says it, with a block
"chancery": {"package": {...}} for what npm has no field for, or the file of --metadata. Its fields are version,
displayName, description, details, keywords, maintainers, provider, homepage, repository, links, license, icon,
categories, artifactHubCategory, capabilities, minKubeVersion and maturity.

What stands after "--" goes to the modules, and \`manifests\` writes it into the arguments of the operator's
container: so it runs with what its rights were generated for. Settings that a module decides by its
arguments count, too: the Lease and the namespaces, unless an option says otherwise. Both scopes of the manifests then
have the rights for these namespaces.

Equal declarations give equal files. A file that does not say in its first line that it was generated is
never overwritten; then nothing is written at all, and the exit code is 1.

\`manifests\` also writes a Dockerfile and a .dockerignore beside package.json, when its dependencies have
chancery and no Dockerfile or Containerfile is there. They are yours then: neither is changed or compared.

With --hooks the declarations are those of the hooks in DIR: what they watch follows from their answers to
--config, what they write from their files HOOK.rights.yaml. The manifests mount DIR from a ConfigMap that
kustomize makes by the file kustomization.yaml, which is written into DIR.

With --from-metacontroller the declarations are those of the CompositeControllers and DecoratorControllers in
FILE: parents, children by their update strategies, revisions, and the Secrets and ConfigMaps of their webhooks by
name. FILE may be what "kubectl get -o yaml" prints, have other objects in it, or be a folder. Definitions of custom
resources are taken from it too, and from --crd. Which resources a customize hook names, the annotation
metacontroller.chancery.dev/related-resources says, or "related" in the file of --functions. The manifests run
chancery metacontroller, and mount the folder of the file of --functions. Its three definitions are in crds, and in
no overlay: deleting one must not delete the objects that the original has. What stands after "--" goes to
chancery metacontroller.

Options:
${table([
  ['-o, --output PATH', 'a file, or the folder of the manifests; default standard output'],
  ['--check', 'write nothing; show what is not as it would be generated, and end with 1 then'],
  ['--name NAME', 'of the Deployment and all else; default the name of the only controller,'],
  ['', 'and of CompositeControllers and DecoratorControllers chancery-metacontroller'],
  [
    '--namespace NAME',
    'where the operator runs; default NAME, and for proxy $(POD_NAMESPACE), which the kubelet replaces',
  ],
  ['--watch own|all|A,B', 'rbac, proxy: namespaces that it watches; default own, where it runs,'],
  ['', 'and for hooks and controllers all'],
  ['--hooks DIR', 'not for crd: a folder of hooks in place of modules'],
  [
    '--from-metacontroller FILE',
    'controllers in place of modules: a file, a folder, or - for standard input;',
  ],
  ['', 'repeatable'],
  [
    '--functions FILE',
    'programs and modules in place of their webhooks; see chancery metacontroller',
  ],
  [
    '--crd FILE',
    'file or folder with definitions, for hooks default DIR/crds; repeatable. With modules,',
  ],
  ['', 'for chart and bundle: definitions that no module brings'],
  ['--leader-election', 'it takes a Lease; the default when a controller needs one,'],
  ['--no-leader-election', 'it takes none'],
  ['--install-crds', 'it installs its definitions itself: CHANCERY_INSTALL_CRDS'],
  [
    '--format args|patch|paths',
    'proxy: args (default), patch for kustomize, or paths: one expression a line',
  ],
  ['--ambassador-image IMAGE', 'default chancery-proxy with the tag of our own version, which you'],
  ['', 'build from Dockerfile.proxy until a release publishes it. Of an'],
  ['', 'image with another name nothing but kubectl is used, and it needs a tag'],
  [
    '--operator-image IMAGE',
    'default NAME, chancery-hooks for hooks, chancery-metacontroller for its',
  ],
  ['', 'controllers; without a tag, our own version'],
  ['--module-path PATH', 'where the image has a module; default as in the Dockerfile,'],
  ['', '/app/src/operator.ts, or without such a package.json /operators/FILE'],
  ['--stop-seconds N', 'what its whole stop may take; default 25'],
  [
    '--components PATH',
    'manifests: a folder that has the generic components, relative to PATH of -o',
  ],
  [
    '--resource PATH',
    'manifests, chart, bundle: a file with more objects, relative to PATH of -o or to this folder;',
  ],
  ['', 'manifests: also a folder with a kustomization or a URL; chart, bundle: also a folder'],
  ['--version V', 'chart, bundle: of the operator; default as in the metadata'],
  ['--metadata FILE', 'chart, bundle: YAML or JSON; it wins over package.json'],
  ['--pin', 'chart, bundle: refuse an image without a digest'],
  ['--channels A,B', 'bundle: default stable'],
  ['--default-channel A', 'bundle: default none. catalog: default as the newest bundle says'],
  ['--replaces NAME', 'bundle: the one that this one replaces, such as plants.v1.0.0'],
  [
    '--sample FILE',
    'bundle: file or folder with objects that are shown in place of the generated samples; repeatable',
  ],
  ['--skips NAME', 'bundle: one that this one skips; repeatable'],
  ['--skip-range RANGE', "bundle: such as '<1.2.0'"],
  [
    '--install-modes A,B',
    'bundle: of AllNamespaces, the default, OwnNamespace, SingleNamespace and MultiNamespace',
  ],
  ['--created-at TIME', 'bundle: default none, so that equal declarations give equal files'],
  [
    '--allow-key-in-operator',
    "bundle: accept that OLM mounts the key of a webhook into the operator's container",
  ],
  ['--image REF', 'catalog: where the image of a BUNDLE_DIR is; once for each, in their order'],
  ['--channel NAME', 'catalog: in place of the channels of the bundles; repeatable'],
  [
    '--deprecate NAME=TEXT',
    'catalog: what users of a package, channel or bundle are told; repeatable',
  ],
  ['--command TEXT', 'what the files say that they were generated by; default this command'],
])}

--module-path and --resource may be given again. The namespaces of manifests are chosen by an overlay, those of a
chart by its value watch.namespaces, and those of a bundle by the OperatorGroup.

Exit codes:
${table([
  ['0', 'written, or as it would be generated'],
  ['1', 'a file is not ours to overwrite, cannot be written, or differs (--check)'],
  ['2', 'the command line or a module is wrong'],
])}

Examples:

  chancery generate manifests operator.ts --operator-image registry.example/op:1.0 -o manifests
  chancery generate manifests operator.ts --operator-image registry.example/op:1.0 -o manifests --check
  chancery generate manifests operator.ts -o manifests --check -- --greeting=hello
  chancery generate rbac operator.ts --watch all | kubectl auth reconcile -f -
  chancery generate proxy operator.ts --format paths
  chancery generate proxy operator.ts --namespace demo
  chancery generate crd operator.ts -o crds.yaml
  chancery generate chart operator.ts --operator-image registry.example/op:1.0 -o chart
  chancery generate bundle operator.ts --operator-image registry.example/op:1.0 -o bundle --channels stable
  chancery generate catalog bundle --image registry.example/op-bundle:1.0.0 -o catalog
  chancery generate manifests --hooks hooks -o manifests
  chancery generate manifests --from-metacontroller controllers.yaml -o manifests
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const GENERATE_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'generate',
  summary: 'write RBAC, definitions, filter, manifests, chart and bundle from declarations',
  help: GENERATE_HELP,
};
