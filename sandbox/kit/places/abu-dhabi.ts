/** The communities of Abu Dhabi and Al Ain. */
import { community, type KnownCity } from './known-places.ts';

// biome-ignore format: one community an entry
export const abuDhabi: KnownCity = {
  name: 'Abu Dhabi',
  nameAr: 'أبوظبي',
  communities: [
    community('Yas Island', 'جزيرة ياس', [24.4880, 54.6080],
      "Ansam, Mayan, Water's Edge, West Yas, Yas Acres > The Cedars, Yas Acres > The Dahlias, Yas Acres > The Magnolias, Yas Bay, Noya, Noya Viva"),
    community('Al Reem Island', 'جزيرة الريم', [24.4960, 54.4050],
      'Shams Abu Dhabi, Marina Square, City of Lights, Najmat Abu Dhabi, Tamouh, The Gate District, Reem Hills'),
    community('Saadiyat Island', 'جزيرة السعديات', [24.5420, 54.4350],
      'Saadiyat Beach Residences, Hidd Al Saadiyat, Mamsha Al Saadiyat, Jawaher Saadiyat, Soho Square, Saadiyat Lagoons, Cultural District'),
    community('Al Raha Beach', 'شاطئ الراحة', [24.4560, 54.6040], 'Al Bandar, Al Muneera, Al Zeina, Al Dana, Al Hadeel Area'),
    community('Al Reef', 'الريف', [24.4570, 54.6690], 'Arabian Village, Contemporary Village, Desert Village, Mediterranean Village, Al Reef Downtown'),
    community('Al Ghadeer', 'الغدير', [24.8570, 55.0290], 'Al Khaleej Village, Al Waha, Ghadeer Phase 2'),
    community('Khalifa City', 'مدينة خليفة', [24.4200, 54.5770], 'Al Forsan Village, Bloom Gardens, Al Rayyana'),
    community('Masdar City', 'مدينة مصدر', [24.4260, 54.6150], 'Oasis Residences, Leonardo Area'),
    community('Al Maryah Island', 'جزيرة المارية', [24.5020, 54.3900]),
    community('Corniche Area', 'منطقة الكورنيش', [24.4750, 54.3350], 'Etihad Towers, Nation Towers, Burj Mohammed Bin Rashid Area'),
    community('Al Khalidiyah', 'الخالدية', [24.4700, 54.3480], 'Khalidiya Village, Al Manhal Area'),
    community('Mohammed Bin Zayed City', 'مدينة محمد بن زايد', [24.3370, 54.5480], 'Zone 3, Zone 16, Zone 22'),
    community('Al Jurf', 'الجرف', [24.7800, 54.7100], 'Jurf Gardens, Marsa Al Jurf'),
    community('Jubail Island', 'جزيرة الجبيل', [24.5400, 54.4900], 'Marfa Al Jubail, Nad Al Dhabi, Souk Al Jubail'),
    community('Al Nahda', 'النهضة', [24.2900, 54.6600]),
  ],
};

// biome-ignore format: one community an entry
export const alAin: KnownCity = {
  name: 'Al Ain',
  nameAr: 'العين',
  communities: [
    community('Al Jimi', 'الجيمي', [24.2450, 55.7330], 'Shabhat Al Jimi'),
    community('Al Muwaiji', 'المويجعي', [24.2200, 55.7240]),
    community('Asharej', 'عشارج', [24.2060, 55.6900], 'Al Jahili Villas'),
    community('Zakhir', 'زاخر', [24.1540, 55.7050]),
  ],
};
