import { AGE_COLUMN, customResource, type ObjectOf, Type } from 'chancery/schema';

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

export const foos = customResource({
  group: 'samplecontroller.k8s.io',
  version: 'v1alpha1',
  kind: 'Foo',
  apiApproved: 'unapproved, an example of an operator',
  spec,
  status: Type.Object({ availableReplicas: Type.Optional(Type.Integer()) }),
  printerColumns: [
    { name: 'Deployment', jsonPath: '.spec.deploymentName' },
    { name: 'Available', jsonPath: '.status.availableReplicas' },
    { name: 'Ready', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    AGE_COLUMN,
  ],
});

export type Foo = ObjectOf<typeof foos>;
