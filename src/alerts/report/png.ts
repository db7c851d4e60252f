import { crc32, deflateSync } from 'node:zlib';

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
};

/** Mails show PNG everywhere, but no SVG. */
export interface LineImage {
  readonly width: number;
  readonly height: number;
  /** Points in the image, from left to right. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** Half the width of the line, in pixels. */
const HALF = 1.3;

/** Distance of a point from a segment. */
const distance = (
  [px, py]: readonly [number, number],
  [ax, ay]: readonly [number, number],
  [bx, by]: readonly [number, number],
): number => {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / length));
  return Math.hypot(px - ax - t * dx, py - ay - t * dy);
};

/** A line in blue on white, as a PNG with a palette of 256 shades. */
export const linePng = ({ width, height, points }: LineImage): Buffer => {
  const cover = new Float64Array(width * height);
  for (const [i, b] of points.entries()) {
    const a = points[i - 1];
    if (a === undefined) continue;
    const [left, right] = [Math.floor(a[0] - 3), Math.ceil(b[0] + 3)];
    const [top, bottom] = [
      Math.floor(Math.min(a[1], b[1]) - 3),
      Math.ceil(Math.max(a[1], b[1]) + 3),
    ];
    for (let y = Math.max(0, top); y < Math.min(height, bottom); y += 1)
      for (let x = Math.max(0, left); x < Math.min(width, right); x += 1) {
        const at = y * width + x;
        const shade = Math.min(1, Math.max(0, HALF + 0.5 - distance([x + 0.5, y + 0.5], a, b)));
        cover[at] = Math.max(cover[at] ?? 0, shade);
      }
  }
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      rows[y * (width + 1) + 1 + x] = Math.round(255 * (cover[y * width + x] ?? 0));
  const palette = Buffer.alloc(768);
  for (let shade = 0; shade < 256; shade += 1)
    for (const [i, ink] of [0x2f, 0x5f, 0xe3].entries())
      palette[3 * shade + i] = Math.round(255 + ((ink - 255) * shade) / 255);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8); // 8 bits, palette
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};
