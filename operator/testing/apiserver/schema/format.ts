/** The formats that the server checks, of those that operators declare. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  'date-time':
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]\d{2}:?\d{2})$/,
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  duration: /^[+-]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h|d|w|day|days|week|weeks))+$|^0$/,
  ipv4: /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}$/,
  uuid: /^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$/,
  uri: /^[a-zA-Z][a-zA-Z0-9+.-]*:\S+$/,
  email: /^[^@\s]+@[^@\s]+$/,
  hostname:
    /^(?=.{1,253}$)[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*$/,
  byte: /^[A-Za-z0-9+/]*={0,2}$/,
};

/** True when `text` has the format, or when the format is not one that is checked. */
export function isFormat(text: string, format: string): boolean {
  return FORMATS[format]?.test(text) ?? true;
}
