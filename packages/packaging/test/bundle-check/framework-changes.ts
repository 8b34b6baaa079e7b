/** What the validators in the framework of OLM refuse, by their number. */
import { ANNOTATION, type Change, CONTAINERS, OWNED, object, RULES } from './change.ts';
import { definition } from './good-bundle.ts';

export const CHANGES: readonly Change[] = [
  {
    what: 'a name with capitals',
    validator: 1,
    change: ({ csv }) => {
      csv.metadata.name = 'Thing.v1.2.3';
    },
    finds: ['error name metadata.name'],
  },
  {
    what: 'a name of 64 characters',
    validator: 1,
    change: ({ csv }) => {
      csv.metadata.name = `${'a'.repeat(57)}.v1.2.3`;
    },
    finds: ['error name metadata.name'],
  },
  {
    what: 'a replaced name that is none',
    validator: 1,
    change: ({ csv }) => {
      csv.spec.replaces = 'thing_operator.v1.0.0';
    },
    finds: ['error name spec.replaces'],
  },
  {
    what: 'no display name and no strategy',
    validator: 1,
    change: ({ csv }) => {
      csv.spec.displayName = '';
      csv.spec.install.strategy = undefined;
    },
    finds: [
      'error required-fields spec.displayName',
      'error required-fields spec.install.strategy',
    ],
  },
  {
    what: 'a release that the name does not tell',
    validator: 1,
    change: ({ csv }) => {
      csv.spec.release = '2';
    },
    finds: ['error release-name metadata.name'],
  },
  {
    what: 'a release with a leading zero',
    validator: 1,
    change: ({ csv }) => {
      csv.spec.release = '02';
      csv.metadata.name = 'thing-operator-v1.2.3-02';
    },
    finds: ['error release-name spec.release', 'warning name-convention metadata.name'],
  },
  {
    what: 'a name without a version',
    validator: 11,
    change: ({ csv }) => {
      csv.metadata.name = 'thing-operator.v12';
    },
    finds: ['warning name-convention metadata.name'],
  },
  {
    what: 'examples that are no JSON',
    validator: 2,
    change: ({ csv }) => {
      csv.metadata.annotations['alm-examples'] = "[{'kind': 'Thing'}]";
    },
    finds: [`error examples ${ANNOTATION}.alm-examples`],
  },
  {
    what: 'an example of an API that is not owned',
    validator: 2,
    change: ({ csv }) => {
      const others = [{ apiVersion: 'example.com/v2', kind: 'Thing' }];
      csv.metadata.annotations['alm-examples'] = JSON.stringify(others);
    },
    finds: [
      `error examples ${ANNOTATION}.alm-examples`,
      `warning examples ${ANNOTATION}.alm-examples`,
    ],
  },
  {
    what: 'both annotations with examples',
    validator: 2,
    change: ({ csv }) => {
      csv.metadata.annotations['olm.examples'] = '[]';
    },
    finds: [`warning examples ${ANNOTATION}.alm-examples`],
  },
  {
    what: 'no examples',
    validator: 2,
    change: ({ csv }) => {
      delete csv.metadata.annotations['alm-examples'];
    },
    finds: [`warning examples ${ANNOTATION}.alm-examples`],
  },
  {
    what: 'no install mode',
    validator: 3,
    change: ({ csv }) => {
      csv.spec.installModes = [];
    },
    finds: ['error install-modes spec.installModes'],
  },
  {
    what: 'install modes that are all off',
    validator: 3,
    change: ({ csv }) => {
      csv.spec.installModes = [{ type: 'AllNamespaces', supported: false }];
    },
    finds: ['error install-modes spec.installModes'],
  },
  {
    // The original lets it pass by mistake.
    what: 'an install mode that is named twice',
    validator: 3,
    change: ({ csv }) => {
      csv.spec.installModes.push({ type: 'AllNamespaces', supported: true });
    },
    finds: ['error install-modes spec.installModes'],
  },
  {
    what: 'a conversion in one namespace',
    validator: 3,
    change: ({ csv }) => {
      csv.spec.installModes[0].supported = true;
      csv.spec.webhookdefinitions = [
        {
          type: 'ConversionWebhook',
          generateName: 'convert.example.com',
          deploymentName: 'thing-operator',
          conversionCRDs: ['things.example.com'],
        },
      ];
    },
    finds: ['error install-modes spec.installModes'],
  },
  {
    what: 'an owned version without a definition',
    validator: 4,
    change: ({ csv }) => {
      csv.spec.customresourcedefinitions.owned[0].version = 'v2';
      csv.metadata.annotations['alm-examples'] = '[{"apiVersion":"example.com/v2","kind":"Thing"}]';
    },
    // The definition is not owned by its version either, but by group and kind.
    finds: [`error owned-definitions ${OWNED}[0]`],
  },
  {
    what: 'a definition that is not owned',
    validator: 4,
    change: ({ files }) => {
      const other = definition();
      other.metadata.name = 'others.example.com';
      other.spec.names.kind = 'Other';
      files['manifests/others.yaml'] = other;
    },
    finds: ['error owned-definitions'],
  },
  {
    what: 'a definition in two files',
    validator: 4,
    change: ({ files }) => {
      files['manifests/again.yaml'] = definition();
    },
    finds: ['error owned-definitions spec.versions'],
  },
  {
    what: 'a definition that an API server refuses',
    validator: 4,
    change: () => {},
    options: { definitionProblems: () => ['spec.scope: Required value'] },
    finds: ['error valid-definition'],
  },
  {
    what: 'definitions that nothing validates',
    validator: 4,
    change: () => {},
    options: { definitionProblems: undefined },
    finds: ['warning valid-definition'],
  },
  {
    what: 'the ServiceAccount of the Deployment',
    validator: 5,
    change: ({ files }) => {
      files['manifests/account.yaml'] = object('v1', 'ServiceAccount', 'thing-operator');
    },
    finds: ['error service-account metadata.name'],
  },
  {
    what: 'a Kubernetes of two numbers',
    validator: 6,
    change: ({ csv }) => {
      csv.spec.minKubeVersion = '1.30';
    },
    finds: ['error min-kube-version spec.minKubeVersion'],
  },
  {
    what: 'no oldest Kubernetes',
    validator: 6,
    change: ({ csv }) => {
      delete csv.spec.minKubeVersion;
    },
    finds: ['warning min-kube-version spec.minKubeVersion'],
  },
  {
    what: 'an image that is none',
    validator: 8,
    change: ({ csv }) => {
      csv.spec.relatedImages.push({ name: 'x', image: '' }, { name: 'y', image: 'Ghcr.io/Team/x' });
    },
    finds: [
      'error related-images spec.relatedImages[2].image',
      'error related-images spec.relatedImages[3].image',
    ],
  },
  {
    what: 'an annotation of OLM in other letters',
    validator: 8,
    change: ({ csv }) => {
      csv.metadata.annotations['olm.skiprange'] = '<1.2.3';
      csv.metadata.annotations['olm.properties'] = '[]';
    },
    finds: [
      `error annotation-name ${ANNOTATION}[olm.skiprange]`,
      `warning annotation-name ${ANNOTATION}[olm.properties]`,
    ],
  },
  {
    what: 'an API that the oldest Kubernetes has no more',
    validator: 9,
    change: ({ files }) => {
      files['manifests/pdb.yaml'] = object('policy/v1beta1', 'PodDisruptionBudget', 'x');
    },
    finds: ['error removed-api apiVersion'],
  },
  {
    what: 'an API that newer ones than the oldest Kubernetes have no more',
    validator: 9,
    change: ({ csv, files }) => {
      csv.spec.minKubeVersion = '1.24.9';
      files['manifests/pdb.yaml'] = object('policy/v1beta1', 'PodDisruptionBudget', 'x');
    },
    finds: ['warning removed-api apiVersion'],
  },
  {
    what: 'an API that the Kubernetes asked about has no more',
    validator: 9,
    change: ({ csv }) => {
      csv.spec.minKubeVersion = '1.20.0';
      csv.spec.customresourcedefinitions.owned[0].resources = [
        { kind: 'HorizontalPodAutoscaler', version: 'autoscaling/v2beta2' },
      ];
    },
    options: { k8sVersion: '1.26' },
    finds: [`error removed-api ${OWNED}[0].resources[0]`],
  },
  {
    what: 'rights on PodSecurityPolicies',
    validator: 9,
    change: ({ csv }) => {
      const rule = { apiGroups: ['policy'], resources: ['podsecuritypolicies'], verbs: ['use'] };
      csv.spec.install.spec.permissions[0].rules.push(rule);
    },
    finds: [`warning removed-api ${RULES}[1]`],
  },
  {
    what: 'no provider, and a maintainer without an address',
    validator: 10,
    change: ({ csv }) => {
      csv.spec.provider.name = ' ';
      csv.spec.maintainers = [{ name: 'x' }, { name: 'y', email: 'y at example.com' }];
    },
    finds: [
      'error operator-hub spec.provider.name',
      'error operator-hub spec.maintainers[0]',
      'error operator-hub spec.maintainers[1].email',
    ],
  },
  {
    what: 'links that lead nowhere',
    validator: 10,
    change: ({ csv }) => {
      csv.spec.links = [{ name: 'x' }, { name: 'y', url: 'example' }];
    },
    finds: ['error operator-hub spec.links[0]', 'error operator-hub spec.links[1].url'],
  },
  {
    what: 'the version 0.0.0',
    validator: 10,
    change: ({ csv }) => {
      csv.spec.version = '0.0.0';
    },
    finds: ['error version spec.version'],
  },
  {
    what: 'no icon',
    validator: 10,
    change: ({ csv }) => {
      csv.spec.icon = [];
    },
    finds: ['warning operator-hub spec.icon'],
  },
  {
    what: 'two icons, the first of an unknown type',
    validator: 10,
    change: ({ csv }) => {
      csv.spec.icon.unshift({ base64data: 'AA==', mediatype: 'image/webp' });
    },
    finds: ['error operator-hub spec.icon', 'error operator-hub spec.icon'],
  },
  {
    what: 'an unknown capability level',
    validator: 10,
    change: ({ csv }) => {
      csv.metadata.annotations.capabilities = 'basic install';
    },
    finds: [`error capabilities ${ANNOTATION}.capabilities`],
  },
  {
    what: 'an unknown category',
    validator: 10,
    change: ({ csv }) => {
      csv.metadata.annotations.categories = 'Monitoring,Things';
    },
    finds: [`error categories ${ANNOTATION}.categories`],
  },
  {
    what: 'a category that this catalog has not',
    validator: 10,
    change: ({ csv }) => {
      csv.metadata.annotations.categories = 'Monitoring';
    },
    options: { categories: ['Things'] },
    finds: [`error categories ${ANNOTATION}.categories`],
  },
  {
    what: 'no Deployment',
    validator: 11,
    change: ({ csv }) => {
      csv.spec.install.spec.deployments = [];
      csv.spec.install.spec.permissions = [];
    },
    finds: ['error requests spec.install.spec.deployments'],
  },
  {
    what: 'a container without requests',
    validator: 11,
    change: ({ csv }) => {
      const [deployment] = csv.spec.install.spec.deployments;
      delete deployment.spec.template.spec.containers[1].resources;
    },
    finds: [`warning requests ${CONTAINERS}[proxy].resources.requests`],
  },
  {
    what: 'a channel with another name',
    validator: 11,
    change: ({ annotations }) => {
      annotations['operators.operatorframework.io.bundle.channels.v1'] = 'alpha,stable-1.x';
      annotations['operators.operatorframework.io.bundle.channel.default.v1'] = 'stable-1.x';
    },
    finds: ['warning channel-name annotations'],
  },
  {
    what: 'an owned definition without a description',
    validator: 11,
    change: ({ csv }) => {
      csv.spec.customresourcedefinitions.owned[0].description = '';
    },
    finds: [`warning description ${OWNED}[0].description`],
  },
  {
    what: 'rights to create definitions',
    validator: 11,
    change: ({ csv }) => {
      const rule = { apiGroups: ['apiextensions.k8s.io'], resources: ['*'], verbs: ['patch'] };
      csv.spec.install.spec.permissions[0].rules.push(rule);
    },
    finds: [`warning definition-rights ${RULES}[1]`],
  },
  {
    what: 'labels for unknown machines',
    validator: 12,
    change: ({ csv }) => {
      csv.metadata.labels = {
        'operatorframework.io/arch.x86_64': 'supported',
        'operatorframework.io/os.linux': 'yes',
      };
    },
    finds: [
      'error platform-label metadata.labels[operatorframework.io/arch.x86_64]',
      'error platform-label metadata.labels[operatorframework.io/os.linux]',
    ],
  },
  {
    what: 'a budget that lets no Pod go',
    validator: 13,
    change: ({ files }) => {
      const budget = object('policy/v1', 'PodDisruptionBudget', 'x');
      files['manifests/a.yaml'] = { ...budget, spec: { maxUnavailable: 0 } };
      files['manifests/b.yaml'] = { ...budget, spec: { minAvailable: '100%' } };
      files['manifests/c.yaml'] = { ...budget, spec: { maxUnavailable: '50%' } };
    },
    finds: ['error harmful-object spec.maxUnavailable', 'error harmful-object spec.minAvailable'],
  },
  {
    what: 'a class for all Pods',
    validator: 13,
    change: ({ files }) => {
      const priority = object('scheduling.k8s.io/v1', 'PriorityClass', 'x');
      files['manifests/a.yaml'] = { ...priority, globalDefault: true };
    },
    finds: ['error harmful-object globalDefault'],
  },
  {
    what: 'rights on default security contexts and on budgets',
    validator: 13,
    change: ({ files }) => {
      files['manifests/role.yaml'] = {
        ...object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'x'),
        rules: [
          {
            apiGroups: ['security.openshift.io'],
            resources: ['securitycontextconstraints'],
            resourceNames: ['anyuid'],
            verbs: ['patch'],
          },
          { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['*'] },
        ],
      };
    },
    finds: ['error harmful-object rules[0]', 'warning harmful-object rules[1]'],
  },
];
