import { describe, expect, it } from 'vitest';
import * as geometry from '../../src/element/editor/crop-geometry.js';
import { ratioOf, readCropRatios } from '../../src/element/editor/crop-ratios.js';
import type { CropRatio } from '../../src/element/editor/crop-ratios.js';
import type { ImageEdit } from '../../src/images/edit-image.js';

const PHOTO = { width: 400, height: 200 };
const whole = () => geometry.initialEdit(PHOTO, null);
const withCrop = (x: number, y: number, width: number, height: number): ImageEdit => ({
  ...whole(),
  crop: { x, y, width, height },
});
const rounded = ({ crop }: ImageEdit) => [crop.x, crop.y, crop.width, crop.height].map((value) => Math.round(value * 10) / 10);

/** Returns how far the corners of the crop area lie outside the picture, in pixels. */
function overhang(edit: ImageEdit): number {
  const bounds = geometry.turnedSize(PHOTO, edit);
  const angle = (-edit.angle * Math.PI) / 180;
  const distances = [-1, 1].flatMap((right) =>
    [-1, 1].map((down) => {
      const [x, y] = [edit.crop.x + (right * edit.crop.width) / 2, edit.crop.y + (down * edit.crop.height) / 2];
      const turned = [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];
      return Math.max(Math.abs(turned[0]!) - bounds.width / 2, Math.abs(turned[1]!) - bounds.height / 2);
    }),
  );
  return Math.max(...distances);
}

describe('the crop area', () => {
  it('is the whole picture at first, or the largest part with the proportions of the page', () => {
    expect(rounded(whole())).toEqual([0, 0, 400, 200]);
    expect(rounded(geometry.initialEdit(PHOTO, 1))).toEqual([0, 0, 200, 200]);
    expect(rounded(geometry.initialEdit(PHOTO, 4))).toEqual([0, 0, 400, 100]);
    expect(geometry.isUnchanged(PHOTO, whole())).toBe(true);
    expect(geometry.isUnchanged(PHOTO, geometry.initialEdit(PHOTO, 1))).toBe(false);
    for (const change of [{ isMirrored: true }, { turns: 2 }, { angle: 1 }, { crop: { ...whole().crop, height: 199 } }])
      expect(geometry.isUnchanged(PHOTO, { ...whole(), ...change }), JSON.stringify(change)).toBe(false);
  });

  it('moves only as far as the picture reaches', () => {
    const edit = withCrop(0, 0, 100, 100);
    expect(rounded(geometry.move(PHOTO, edit, 60, -20))).toEqual([60, -20, 100, 100]);
    expect(rounded(geometry.move(PHOTO, edit, 1000, -1000))).toEqual([150, -50, 100, 100]);
  });

  it('turns with the picture, and four turns restore it', () => {
    let edit = withCrop(100, 50, 80, 40);
    edit = geometry.rotate(PHOTO, edit, 1, null);
    expect([edit.turns, ...rounded(edit)]).toEqual([1, -50, 100, 40, 80]);
    for (let turn = 0; turn < 3; turn++) edit = geometry.rotate(PHOTO, edit, 1, null);
    expect([edit.turns, ...rounded(edit)]).toEqual([0, 100, 50, 80, 40]);
    expect(geometry.rotate(PHOTO, geometry.rotate(PHOTO, edit, -1, null), 1, null).turns).toBe(0);
  });

  it('keeps its proportions when the picture turns', () => {
    const turned = geometry.rotate(PHOTO, geometry.initialEdit(PHOTO, 2), 1, 2);
    expect(turned.crop.width / turned.crop.height).toBeCloseTo(2);
    expect(overhang(turned)).toBeLessThan(0.01);
  });

  it('is mirrored with what the person sees, and twice restores it', () => {
    const edit = geometry.straighten(PHOTO, geometry.rotate(PHOTO, withCrop(100, 50, 40, 40), 1, null), 10);
    const mirrored = geometry.mirror(edit);
    expect([mirrored.isMirrored, mirrored.turns, mirrored.angle, mirrored.crop.x]).toEqual([true, 3, -10, -edit.crop.x]);
    expect(geometry.mirror(mirrored)).toEqual(edit);
  });

  it.each([-45, -10, 3, 30, 45])('stays inside a picture that is turned by %i degrees', (angle) => {
    for (const edit of [whole(), withCrop(150, -50, 100, 100), geometry.rotate(PHOTO, whole(), 1, null)]) {
      const turned = geometry.straighten(PHOTO, edit, angle);
      expect(overhang(turned)).toBeLessThan(0.01);
      const moved = geometry.move(PHOTO, geometry.zoomTo(PHOTO, turned, 2), 500, 300);
      expect(overhang(moved)).toBeLessThan(0.01);
      for (const ratio of [null, 1.5])
        expect(overhang(geometry.resize(PHOTO, moved, [-1, -1], -500, -500, ratio))).toBeLessThan(0.01);
    }
  });

  it('turns by at most 45 degrees', () => {
    expect([90, -90].map((angle) => geometry.straighten(PHOTO, whole(), angle).angle)).toEqual([45, -45]);
  });

  it('follows a dragged corner or side, while the opposite one stays', () => {
    const edit = withCrop(0, 0, 100, 100);
    expect(rounded(geometry.resize(PHOTO, edit, [1, 1], 20, -10, null))).toEqual([10, -5, 120, 90]);
    expect(rounded(geometry.resize(PHOTO, edit, [-1, 0], -50, 77, null))).toEqual([-25, 0, 150, 100]);
    expect(rounded(geometry.resize(PHOTO, edit, [1, 1], 1000, 20, null)), 'slides along the side').toEqual([75, 10, 250, 120]);
    expect(rounded(geometry.resize(PHOTO, edit, [1, 1], -500, -500, null)), 'keeps a smallest size').toEqual([-42, -42, 16, 16]);
    expect(rounded(geometry.resize(PHOTO, edit, [1, 1], 20, 0, 1)), 'keeps its proportions').toEqual([10, 10, 120, 120]);
    expect(rounded(geometry.resize(PHOTO, edit, [0, 1], 0, 40, 1)), 'also at a side').toEqual([0, 20, 140, 140]);
  });

  it('grows by keys on all sides, as far as there is room', () => {
    expect(rounded(geometry.grow(PHOTO, withCrop(150, 0, 100, 100), 20, 0, null))).toEqual([140, 0, 120, 100]);
    expect(rounded(geometry.grow(PHOTO, whole(), 20, 0, null))).toEqual([0, 0, 400, 200]);
    expect(rounded(geometry.grow(PHOTO, withCrop(0, 0, 100, 50), 0, -10, 2))).toEqual([0, 0, 80, 40]);
    expect(rounded(geometry.grow(PHOTO, withCrop(0, 0, 390, 195), 40, 0, 2))).toEqual([0, 0, 400, 200]);
  });

  it('zooms between the largest area and a small one', () => {
    expect(geometry.zoomOf(PHOTO, whole())).toEqual({ zoom: 1, maxZoom: 12.5 });
    const zoomed = geometry.zoomTo(PHOTO, whole(), 4);
    expect(rounded(zoomed)).toEqual([0, 0, 100, 50]);
    expect(rounded(geometry.zoomTo(PHOTO, zoomed, 0.1))).toEqual([0, 0, 400, 200]);
    expect(rounded(geometry.zoomTo(PHOTO, zoomed, 1000))).toEqual([0, 0, 32, 16]);
    const dragged = withCrop(0, 0, 16, 8);
    expect(geometry.zoomOf(PHOTO, dragged), 'handles make it smaller').toEqual({ zoom: 25, maxZoom: 25 });
    expect(geometry.zoomOf({ width: 10, height: 10 }, geometry.initialEdit({ width: 10, height: 10 }, null)).maxZoom).toBe(1);
  });

  it('is aligned with pixels unless the picture is turned by an angle', () => {
    expect(rounded(geometry.alignToPixels(PHOTO, withCrop(0.3, 0.2, 99.7, 51.2)))).toEqual([0, 0.5, 100, 51]);
    expect(rounded(geometry.alignToPixels({ width: 401, height: 200 }, withCrop(-150.4, 50, 100, 100)))).toEqual([
      -150.5, 50, 100, 100,
    ]);
    const turned = geometry.straighten(PHOTO, withCrop(0.3, 0.2, 99.7, 51.2), 5);
    expect(geometry.alignToPixels(PHOTO, turned)).toEqual(turned);
  });

  it('is described by its size and its distance from the left and the top', () => {
    expect(geometry.describeArea(PHOTO, withCrop(100, -25, 99.7, 100))).toEqual({ width: 100, height: 100, left: 250, top: 25 });
  });
});

describe('the attribute crop-ratio', () => {
  it('has one entry, a list, or none', () => {
    expect(readCropRatios('')).toEqual([{ name: '', value: null }]);
    expect(readCropRatios('1')).toEqual([{ name: '1:1', value: 1 }]);
    expect(readCropRatios(' Free, 16:9,4/3 , 1.91:1')).toEqual([
      { name: '', value: null },
      { name: '16:9', value: 16 / 9 },
      { name: '4:3', value: 4 / 3 },
      { name: '1.91:1', value: 1.91 },
    ]);
  });

  it('belongs to an earlier edit by its proportions, and is free or the first one otherwise', () => {
    const [free, square, wide] = readCropRatios('free, 1:1, 16:9') as [CropRatio, CropRatio, CropRatio];
    const find = (width: number, ...offered: CropRatio[]) => ratioOf({ x: 0, y: 0, width, height: 90 }, offered);
    expect(find(160, free, square, wide)).toBe(wide);
    expect(find(91, free, square, wide)).toBe(square);
    expect(find(120, square, free)).toBe(free);
    expect(find(120, square, wide)).toBe(square);
  });

  it.each(['wide', '0', '1:0', '1:100', '-1', '16:9, big', '1:2:3'])('is invalid as %s', (value) => {
    expect(readCropRatios(value)).toBeUndefined();
  });
});
