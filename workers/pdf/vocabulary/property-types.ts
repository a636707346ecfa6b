/** The property types of the portals. */
import { createTable, type Row, type Term } from './table.ts';

type PropertyKind = 'home' | 'commercial' | 'land' | 'holiday';

export interface PropertyType extends Term {
  kind: PropertyKind;
}

const homes: readonly Row[] = [
  ['apartment', 'AP', 'Apartment', 'شقة', 'flat|apartments|residential apartment|unit'],
  ['bungalow', 'BW', 'Bungalow', 'بنغل'],
  ['cabin', '', 'Cabin', 'كوخ'],
  ['chalet', '', 'Chalet', 'شاليه'],
  ['duplex', 'DX', 'Duplex', 'دوبلكس'],
  [
    'hotel-apartment',
    'HA',
    'Hotel apartment',
    'شقة فندقية',
    'hotel apartments|serviced apartment|short term hotel apartment',
  ],
  ['ivilla', '', 'iVilla', 'آي فيلا'],
  ['palace', '', 'Palace', 'قصر'],
  ['penthouse', 'PH', 'Penthouse', 'بنتهاوس'],
  ['rest-house', '', 'Rest house', 'استراحة'],
  ['townhouse', 'TH', 'Townhouse', 'تاون هاوس', 'town house|townhome'],
  ['twin-house', '', 'Twin house', 'توين هاوس'],
  ['villa', 'VH', 'Villa', 'فيلا', 'villa house|house|residential villa'],
];

const commercial: readonly Row[] = [
  ['bulk-rent-unit', 'BU', 'Bulk units', 'وحدات بالجملة', 'bulk unit|bulk units for rent'],
  ['bulk-sale-unit', '', 'Bulk units', 'وحدات بالجملة', 'bulk units for sale'],
  ['business-center', '', 'Business centre', 'مركز أعمال', 'business centre'],
  ['cafeteria', '', 'Cafeteria', 'كافتيريا'],
  ['clinic', '', 'Clinic', 'عيادة'],
  ['co-working-space', '', 'Co-working space', 'مساحة عمل مشتركة', 'coworking space|co working|coworking'],
  ['compound', 'CD', 'Compound', 'مجمع سكني'],
  ['factory', 'FA', 'Factory', 'مصنع'],
  ['full-floor', 'FF', 'Full floor', 'طابق كامل'],
  ['half-floor', 'HF', 'Half floor', 'نصف طابق'],
  ['labor-camp', 'LC', 'Labour camp', 'سكن عمال', 'labour camp'],
  ['medical-facility', '', 'Medical facility', 'منشأة طبية'],
  ['office-space', 'OF', 'Office space', 'مكتب', 'office'],
  ['restaurant', '', 'Restaurant', 'مطعم'],
  ['retail', 'RE', 'Retail', 'محل تجاري', 'retail space'],
  ['roof', '', 'Roof', 'سطح'],
  ['shop', 'SH', 'Shop', 'محل تجاري'],
  ['show-room', 'SR', 'Showroom', 'صالة عرض'],
  ['staff-accommodation', 'SA', 'Staff accommodation', 'سكن موظفين'],
  ['warehouse', 'WH', 'Warehouse', 'مستودع'],
  ['whole-building', 'WB', 'Whole building', 'مبنى كامل'],
  ['building', '', 'Building', 'مبنى'],
];

const land: readonly Row[] = [
  ['land', 'LP', 'Land', 'أرض', 'plot|land plot|residential plot|commercial plot|residential land|commercial land'],
  ['farm', '', 'Farm', 'مزرعة'],
];

const holiday: readonly Row[] = [['holiday-home', '', 'Holiday home', 'بيت عطلات', 'holiday let|vacation home']];

const kinds = new Map<string, PropertyKind>([
  ...homes.map(([slug]) => [slug, 'home'] as const),
  ...commercial.map(([slug]) => [slug, 'commercial'] as const),
  ...land.map(([slug]) => [slug, 'land'] as const),
  ...holiday.map(([slug]) => [slug, 'holiday'] as const),
]);

export const propertyTypes = createTable<PropertyType>([...homes, ...commercial, ...land, ...holiday], term => ({
  ...term,
  kind: kinds.get(term.slug) ?? 'home',
}));
