/** The order in which readers find the pages: each section of the site with its pages. */

export interface Section {
  readonly title: string;
  /** Where the section begins. */
  readonly first: string;
  readonly groups: readonly Group[];
}

export interface Group {
  readonly title: string;
  /** Pages by their path on the site, in the order of the sidebar. */
  readonly pages: readonly string[];
}

const pages = (folder: string, names: string): readonly string[] =>
  names.split(' ').map((name) => `${folder}${name}.md`);

export const SECTIONS: readonly Section[] = [
  {
    title: 'Start',
    first: 'start/first-operator.md',
    groups: [
      { title: 'Start', pages: pages('start/', 'first-operator developing') },
      {
        title: 'Tutorial',
        pages: pages(
          'tutorial/',
          'index 1-a-custom-resource 2-an-owned-deployment 3-status-and-conditions 4-a-finalizer 5-other-objects-and-faults 6-in-a-cluster',
        ),
      },
      {
        title: 'Coming from',
        pages: pages(
          'coming-from/',
          'index controller-runtime kopf pepr client-node fluent-client shell-operator metacontroller curl-loop',
        ),
      },
    ],
  },
  {
    title: 'Guides',
    first: 'guides/write/operators.md',
    groups: [
      {
        title: 'Write',
        pages: pages(
          'guides/write/',
          'operators custom-resources composites conversion webhooks hooks metacontroller kubebuilder',
        ),
      },
      {
        title: 'Test',
        pages: pages(
          'guides/test/',
          'testing every-order with-faults with-history with-webhooks permissions by-command in-node in-go in-python in-java in-rust in-shell',
        ),
      },
      {
        title: 'Operate',
        pages: pages(
          'guides/operate/',
          'running observing alerts troubleshooting packages gitops images upgrading sharding webhook-certificates debugging flight-recorder timeline',
        ),
      },
      {
        title: 'Examples',
        pages: pages(
          'examples/',
          'index website config-restart reloader blogpost chaos database expose foo hooks metacontroller mysql node-reboot prometheus tdset tunnel',
        ),
      },
    ],
  },
  {
    title: 'Reference',
    first: 'reference/commands.md',
    groups: [
      {
        title: 'Reference',
        pages: pages(
          'reference/',
          'commands settings metrics errors manifests ambassador gate hooks metacontroller-contract',
        ),
      },
      {
        title: 'Packages',
        pages: pages(
          'packages/',
          'testing hooks metacontroller packaging certificates create-chancery',
        ),
      },
    ],
  },
  {
    title: 'Concepts',
    first: 'concepts/comparison.md',
    groups: [
      {
        title: 'Concepts',
        pages: pages('concepts/', 'comparison faq glossary guarantees crashes'),
      },
    ],
  },
  {
    title: 'Security',
    first: 'security/security.md',
    groups: [
      { title: 'Security', pages: pages('security/', 'security threat-model policies reporting') },
    ],
  },
  {
    title: 'Project',
    first: 'architecture.md',
    groups: [
      {
        title: 'Project',
        pages: pages(
          '',
          'architecture performance measurements benchmarks conformance peers soak dependencies releasing contributing changelog',
        ),
      },
    ],
  },
];
