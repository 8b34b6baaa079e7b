/** A chart for one test: its files in memory. */
import type { ManifestFile } from '../../../../operator/generate/manifests/manifest-file.ts';

const CHART_YAML = 'apiVersion: v2\nname: small\nversion: 0.1.0\nappVersion: "1.2.0"\n';

/** Files of a chart: Chart.yaml unless it is given, and those of `files`. */
export function smallChart(files: Readonly<Record<string, string>>): readonly ManifestFile[] {
  return Object.entries({ 'Chart.yaml': CHART_YAML, ...files }).map(([path, text]) => ({
    path,
    text,
  }));
}

/** A chart with a ConfigMap, whose data are these templates. Each is the rest of a line. */
export function chartOf(
  data: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): readonly ManifestFile[] {
  const lines = Object.entries(data).map(
    ([key, template]) => `  ${JSON.stringify(key)}: ${template}\n`,
  );
  return smallChart({
    'templates/config.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n${lines.join('')}`,
    ...files,
  });
}
