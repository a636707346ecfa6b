/** Converts SVG shapes to path construction operators of a PDF (ISO 32000-1, 8.5.2). */
import { SVGPathData } from 'svg-pathdata';

export type Attributes = ReadonlyMap<string, string>;

/** A QR code: about 300 rectangles, each one module high, such as `M5 0h4v1h-4z`. */
const qrCode = /^(?:M-?\d+ -?\d+h\d+v1h-\d+z)+$/;
const qrRun = /M(-?\d+) (-?\d+)h(\d+)v1h-\d+z/g;

/** @returns undefined for elements that are not shapes, such as groups and texts */
export function pathOperators(shape: string, attributes: Attributes): string | undefined {
  const d = pathOf(shape, attributes);
  if (d === undefined) return undefined;
  return qrCode.test(d) ? d.replaceAll(qrRun, '$1 $2 $3 1 re\n') : operatorsOf(d);
}

function pathOf(shape: string, attributes: Attributes): string | undefined {
  const number = (name: string, initial = 0) => Number(attributes.get(name) ?? initial);
  switch (shape) {
    case 'path':
      return attributes.get('d') ?? '';
    case 'line':
      return `M${number('x1')} ${number('y1')}L${number('x2')} ${number('y2')}`;
    case 'circle':
      return ellipse(number('cx'), number('cy'), number('r'), number('r'));
    case 'ellipse':
      return ellipse(number('cx'), number('cy'), number('rx'), number('ry'));
    case 'rect': {
      const radius = number('rx', number('ry'));
      return rectangle(number('x'), number('y'), number('width'), number('height'), radius);
    }
    case 'polyline':
      return `M${attributes.get('points')}`;
    case 'polygon':
      return `M${attributes.get('points')}z`;
    default:
      return undefined;
  }
}

const ellipse = (x: number, y: number, rx: number, ry: number): string =>
  `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`;

function rectangle(x: number, y: number, width: number, height: number, r: number): string {
  if (r === 0) return `M${x} ${y}h${width}v${height}h${-width}z`;
  const corner = (dx: number, dy: number) => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
  const [across, down] = [width - 2 * r, height - 2 * r];
  return `M${x + r} ${y}h${across}${corner(r, r)}v${down}${corner(-r, r)}h${-across}${corner(-r, -r)}v${-down}${corner(r, -r)}z`;
}

/** PDF has moves, lines, cubic curves and closing only. */
function operatorsOf(d: string): string {
  const reduced = new SVGPathData(d).toAbs().normalizeHVZ(false).normalizeST().qtToC().aToC();
  return reduced.commands
    .map(command => {
      switch (command.type) {
        case SVGPathData.MOVE_TO:
          return `${numbers(command.x, command.y)} m\n`;
        case SVGPathData.LINE_TO:
          return `${numbers(command.x, command.y)} l\n`;
        case SVGPathData.CURVE_TO:
          return `${numbers(command.x1, command.y1, command.x2, command.y2, command.x, command.y)} c\n`;
        case SVGPathData.CLOSE_PATH:
          return 'h\n';
        default:
          throw new Error(`The path "${d}" was not reduced to lines and cubic curves.`);
      }
    })
    .join('');
}

const numbers = (...values: number[]): string =>
  values.map(value => String(Number(value.toFixed(3)))).join(' ');
