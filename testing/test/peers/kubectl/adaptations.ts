/** A change of a script or of its data, without which the API server of today could not be asked at all. */
export interface Adaptation {
  /** Below the root of the repository. Where the file is missing, or lacks the text, nothing is changed. */
  readonly file: string;
  readonly from: RegExp;
  readonly to: string;
}

const PRESERVED =
  '"schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}';

/** A CustomResourceDefinition of v1beta1, in JSON. */
function definitions(file: string): readonly Adaptation[] {
  return [
    { file, from: /apiextensions\.k8s\.io\/v1beta1/g, to: 'apiextensions.k8s.io/v1' },
    {
      file,
      from: /"version": "(v\w+)",/g,
      to: `"versions": [{"name": "$1", "served": true, "storage": true, ${PRESERVED}}],`,
    },
  ];
}

/** What kubectl and the API server have come to say otherwise since 2020, and flags that are gone. */
const WORDS: readonly Adaptation[] = [
  ...['core', 'rbac', 'storage'].map((name) => ({
    file: `test/cmd/${name}.sh`,
    from: /'warning: deleting cluster-scoped/g,
    to: "'Warning: deleting cluster-scoped",
  })),
  {
    file: 'test/cmd/discovery.sh',
    from: /"name":"configmaps","singularName":""/g,
    to: '"name":"configmaps","singularName":"configmap"',
  },
  { file: 'test/cmd/proxy.sh', from: /\/apis\/extensions\//g, to: '/apis/apps/' },
  { file: 'test/cmd/exec.sh', from: /(kubectl exec \S+) date/g, to: '$1 -- date' },
  ...['apply', 'batch'].map((name) => ({
    file: `test/cmd/${name}.sh`,
    from: /--dry-run=true/g,
    to: '--dry-run=client',
  })),
  ...['apps', 'core'].flatMap((name) => [
    { file: `test/cmd/${name}.sh`, from: / --generator=service\/v1/g, to: '' },
    { file: `test/cmd/${name}.sh`, from: /'default 80'/g, to: "'<no value> 80'" },
  ]),
  {
    file: 'test/cmd/template-output.sh',
    from: /^ {2}output_message=\$\(kubectl convert [\s\S]*?(?=\n\n)/m,
    to: '  :',
  },
  ...['apply', 'crd'].map((name) => ({
    file: `test/cmd/${name}.sh`,
    from: /--prune-whitelist/g,
    to: '--prune-allowlist',
  })),
  {
    file: 'test/cmd/save-config.sh',
    from: /'autoscaling\/v1'/g,
    to: "'autoscaling/v2'",
  },
  ...['apps', 'core'].map((name) => ({
    // A field of autoscaling/v1, which is not the preferred version any more.
    file: `test/cmd/${name}.sh`,
    from: /get_object_assert 'hpa (frontend|nginx-deployment)'/g,
    to: "get_object_assert 'horizontalpodautoscalers.v1.autoscaling $1'",
  })),
  // The addresses of Services are in another range than in test-cmd.sh.
  { file: 'test/cmd/apply.sh', from: /10\.0\.0\.12/g, to: '10.96.0.12' },
  { file: 'hack/testdata/service-revision2.yaml', from: /10\.0\.0\.12/g, to: '10.96.0.12' },
];

/**
 * All that is changed in the snapshot. The scripts of 2020 create objects of versions that Kubernetes 1.22 and 1.25
 * removed; newer ones do not, so that nothing here fits them.
 */
export const ADAPTATIONS: readonly Adaptation[] = [
  ...WORDS,
  {
    file: 'test/cmd/crd.sh',
    // The one definition with a schema: it keeps it, below the version.
    from: /"version": "v1",(\s+"scope": "Namespaced",\s+"names": \{[^}]*\}),\s+"validation": \{\s+"openAPIV3Schema": \{([\s\S]*?)\n {6}\}\n {4}\}\n/g,
    to: '"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",$2}}}],$1\n',
  },
  ...definitions('test/cmd/crd.sh'),
  ...definitions('test/cmd/apply.sh'),
  {
    file: 'hack/testdata/multi-resource-4.yaml',
    from: /apiextensions\.k8s\.io\/v1beta1/g,
    to: 'apiextensions.k8s.io/v1',
  },
  {
    file: 'hack/testdata/multi-resource-4.yaml',
    from: /^ {2}version: v1$/gm,
    to: `  versions: [{"name": "v1", "served": true, "storage": true, ${PRESERVED}}]`,
  },
  {
    file: 'hack/testdata/csr.yml',
    from: /certificates\.k8s\.io\/v1beta1/g,
    to: 'certificates.k8s.io/v1',
  },
  {
    file: 'hack/testdata/csr.yml',
    from: /^spec:\n(?! {2}signerName)/m,
    to: 'spec:\n  signerName: kubernetes.io/kube-apiserver-client\n  usages: [client auth]\n',
  },
  {
    file: 'test/fixtures/pkg/kubectl/cmd/create/sar-v1beta1.json',
    from: /authorization\.k8s\.io\/v1beta1/g,
    to: 'authorization.k8s.io/v1',
  },
  {
    file: 'test/fixtures/pkg/kubectl/cmd/create/sar-v1beta1.json',
    from: /"group": \[/g,
    to: '"groups": [',
  },
  {
    file: 'test/cmd/authorization.sh',
    from: /authorization\.k8s\.io\/v1beta1/g,
    to: 'authorization.k8s.io/v1',
  },
  {
    file: 'test/fixtures/pkg/kubectl/cmd/create/tokenreview-v1beta1.json',
    from: /authentication\.k8s\.io\/v1beta1/g,
    to: 'authentication.k8s.io/v1',
  },
  { file: 'test/cmd/template-output.sh', from: /batch\/v1beta1/g, to: 'batch/v1' },
  {
    file: 'test/cmd/rbac.sh',
    // Asks for Roles of v1beta1, to see the warning that they are deprecated.
    from: /^ {2}output_message=\$\(!? ?kubectl get roles\.v1beta1[\s\S]*?(?=\n\n)/m,
    to: '  :',
  },
];
