import { AGE_COLUMN, customResource, Type } from 'chancery/schema';

const GROUP = 'samplecontroller.k8s.io';

/** As the original's definition has it: whatever Foo that takes is taken here, and told what is wrong. */
const spec = Type.Object(
  {
    deploymentName: Type.Optional(Type.String({ description: 'Of the Deployment that is made.' })),
    replicas: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        description: 'Left out: whatever the Deployment has, so that an autoscaler may decide.',
      }),
    ),
  },
  { default: {} },
);

/** `customResource` gives nobody a group of the Kubernetes project; this one is of its own example. */
const { validate: _, ...declared } = customResource({
  group: 'foo.example.dev',
  version: 'v1alpha1',
  kind: 'Foo',
  spec,
  status: Type.Object({ availableReplicas: Type.Optional(Type.Integer()) }),
  printerColumns: [
    { name: 'Deployment', jsonPath: '.spec.deploymentName' },
    { name: 'Available', jsonPath: '.status.availableReplicas' },
    { name: 'Ready', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    AGE_COLUMN,
  ],
});

const { definition } = declared;

export const foos = Object.freeze({
  ...declared,
  group: GROUP,
  definition: {
    ...definition,
    metadata: {
      name: `${declared.plural}.${GROUP}`,
      // Without it the API server takes no definition in this group.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, an example of an operator' },
    },
    spec: { ...definition.spec, group: GROUP },
  },
});

export type Foo = NonNullable<(typeof foos)['objects']>;
