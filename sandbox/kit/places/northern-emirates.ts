/** The communities of Sharjah, Ajman, Ras Al Khaimah, Umm Al Quwain and Fujairah. */
import { community, type KnownCity } from './known-places.ts';

// biome-ignore format: one community an entry
export const northernEmirates: readonly KnownCity[] = [
  {
    name: 'Sharjah',
    nameAr: 'الشارقة',
    communities: [
      community('Al Khan', 'الخان', [25.3260, 55.3650], 'Maryam Island, Al Khan Corniche, Blue Bay Walk'),
      community('Al Nahda', 'النهدة', [25.3030, 55.3780], 'Sahara Complex, Al Nahda Park'),
      community('Al Majaz', 'المجاز', [25.3280, 55.3850], 'Al Majaz 1, Al Majaz 2, Al Majaz 3'),
      community('Al Taawun', 'التعاون', [25.3130, 55.3720], 'Al Taawun Corniche'),
      community('Al Qasimia', 'القاسمية', [25.3500, 55.3900], 'Bu Daniq, Al Nud'),
      community('Muwaileh', 'مويلح', [25.3050, 55.4550], 'Al Zahia > Al Zahia 1, Al Zahia > Al Zahia 2, Muwaileh Commercial, Uptown Al Zahia'),
      community('Aljada', 'الجادة', [25.3170, 55.4700], 'Rehan, Areej, Sarab, East Village, Il Teatro'),
      community('Tilal City', 'تلال سيتي', [25.2560, 55.6300], 'Tilal City A, Tilal City B, Tilal City C'),
      community('Al Rahmaniya', 'الرحمانية', [25.3200, 55.5500], 'Al Suyoh, Masaar, Nasma Residences'),
    ],
  },
  {
    name: 'Ajman',
    nameAr: 'عجمان',
    communities: [
      community('Al Nuaimiya', 'النعيمية', [25.3940, 55.4480], 'Al Nuaimiya 1, Al Nuaimiya 2, Al Nuaimiya Towers'),
      community('Al Rashidiya', 'الراشدية', [25.4000, 55.4460], 'Ajman One Area, Al Rashidiya 3'),
      community('Emirates City', 'مدينة الإمارات', [25.3880, 55.5350], 'Goldcrest Dreams, Paradise Lakes, Emirates Lake Towers'),
      community('Al Zorah', 'الزوراء', [25.4350, 55.4850], 'The Golf Estate, Seaside Hills, Gateway Residences'),
      community('Al Yasmeen', 'الياسمين', [25.4030, 55.6000]),
      community('Corniche Ajman', 'كورنيش عجمان', [25.4150, 55.4350], 'Corniche Residences'),
    ],
  },
  {
    name: 'Ras Al Khaimah',
    nameAr: 'رأس الخيمة',
    communities: [
      community('Al Hamra Village', 'قرية الحمرا', [25.6930, 55.7830], 'Royal Breeze, Golf Apartments, Marina Apartments, Bayti Homes, Falcon Island'),
      community('Mina Al Arab', 'ميناء العرب', [25.7180, 55.8330], 'Bermuda, Flamingo Villas, Gateway, Lagoon Views, Malibu, Hayat Island'),
      community('Al Marjan Island', 'جزيرة المرجان', [25.6700, 55.7400], 'Pacific, Bab Al Bahr, Treasure Island, View Island'),
      community('Al Nakheel', 'النخيل', [25.7900, 55.9700]),
      community('Julphar', 'جلفار', [25.8000, 55.9600], 'Julphar Towers'),
    ],
  },
  {
    name: 'Umm Al Quwain',
    nameAr: 'أم القيوين',
    communities: [
      community('Umm Al Quwain Marina', 'مارينا أم القيوين', [25.5450, 55.5650], 'Mistral, Villas at the Marina'),
      community('Al Salamah', 'السلمة', [25.5200, 55.5900], 'White Bay'),
      community('Siniyah Island', 'جزيرة السينية', [25.6000, 55.6200], 'Sobha Siniya'),
    ],
  },
  {
    name: 'Fujairah',
    nameAr: 'الفجيرة',
    communities: [
      community('Corniche Fujairah', 'كورنيش الفجيرة', [25.1390, 56.3530], 'Fujairah Heights'),
      community('Sharm', 'شرم', [25.4800, 56.3550], 'Mina Al Fajer, Address Residences'),
      community('Dibba', 'دبا', [25.5920, 56.2600]),
    ],
  },
];
