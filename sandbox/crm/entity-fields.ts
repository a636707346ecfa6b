/** The fields of each kind of record: the vendor's standard fields and this portal's custom fields (UF_CRM_…). */
import { fieldTable } from './fields.ts';

const utm = 'UTM_SOURCE UTM_MEDIUM UTM_CAMPAIGN UTM_CONTENT UTM_TERM';
const origin = 'ORIGINATOR_ID ORIGIN_ID';

export const dealFields = fieldTable({
  integer:
    'ID! CATEGORY_ID COMPANY_ID CONTACT_ID LEAD_ID PROBABILITY ASSIGNED_BY_ID CREATED_BY_ID=createdBy! MODIFY_BY_ID=updatedBy!',
  string: `TITLE TYPE_ID STAGE_ID STAGE_SEMANTIC_ID! CURRENCY_ID SOURCE_ID SOURCE_DESCRIPTION COMMENTS ${origin} ${utm} UF_CRM_REFERENCE UF_CRM_PERMIT`,
  money: 'OPPORTUNITY TAX_VALUE',
  char: 'IS_NEW! OPENED CLOSED! IS_MANUAL_OPPORTUNITY',
  datetime: 'DATE_CREATE=createdTime! DATE_MODIFY=updatedTime! BEGINDATE CLOSEDATE',
});

export const leadFields = fieldTable({
  integer: 'ID! COMPANY_ID CONTACT_ID ASSIGNED_BY_ID CREATED_BY_ID=createdBy! MODIFY_BY_ID=updatedBy!',
  string: `TITLE HONORIFIC NAME SECOND_NAME LAST_NAME COMPANY_TITLE SOURCE_ID SOURCE_DESCRIPTION STATUS_ID=stageId STATUS_DESCRIPTION STATUS_SEMANTIC_ID=stageSemanticId! CURRENCY_ID COMMENTS POST ADDRESS ADDRESS_CITY ADDRESS_COUNTRY ${origin} ${utm} UF_CRM_PAGE_URL UF_CRM_DNC_STATUS UF_CRM_COUNTRY UF_CRM_LOCATIONS UF_CRM_MATCHED_AGENT UF_CRM_ACTIVITY_SUMMARY`,
  money: 'OPPORTUNITY',
  char: 'HAS_PHONE! HAS_EMAIL! OPENED IS_RETURN_CUSTOMER! IS_MANUAL_OPPORTUNITY',
  boolean: 'UF_CRM_CONSENT',
  datetime: 'DATE_CREATE=createdTime! DATE_MODIFY=updatedTime! DATE_CLOSED!',
  crm_multifield: 'PHONE EMAIL',
});

export const contactFields = fieldTable({
  integer: 'ID! COMPANY_ID LEAD_ID ASSIGNED_BY_ID CREATED_BY_ID=createdBy! MODIFY_BY_ID=updatedBy!',
  string: `NAME SECOND_NAME LAST_NAME TYPE_ID SOURCE_ID COMMENTS POST ${origin} ${utm}`,
  char: 'HAS_PHONE! HAS_EMAIL! OPENED EXPORT',
  datetime: 'DATE_CREATE=createdTime! DATE_MODIFY=updatedTime!',
  crm_multifield: 'PHONE EMAIL',
});

export const productFields = fieldTable({
  integer: 'ID! CATALOG_ID SECTION_ID SORT VAT_ID MEASURE CREATED_BY! MODIFIED_BY!',
  string: 'NAME CODE CURRENCY_ID DESCRIPTION DESCRIPTION_TYPE XML_ID',
  money: 'PRICE',
  char: 'ACTIVE VAT_INCLUDED',
  datetime: 'DATE_CREATE! TIMESTAMP_X!',
  list: 'PREVIEW_PICTURE DETAIL_PICTURE PROPERTY_98',
});

const smartProcess = {
  integer: 'ID! CATEGORY_ID ASSIGNED_BY_ID CREATED_BY! UPDATED_BY!',
  string: 'TITLE XML_ID STAGE_ID',
  char: 'OPENED',
  datetime: 'CREATED_TIME! UPDATED_TIME!',
};

export const locationFields = fieldTable({
  ...smartProcess,
  integer: `${smartProcess.integer} UF_CRM_8_PARENT`,
  string: `${smartProcess.string} UF_CRM_8_PORTAL_ID UF_CRM_8_TYPE UF_CRM_8_NAME_AR`,
});

export const viewingFields = fieldTable({
  ...smartProcess,
  integer: `${smartProcess.integer} PARENT_ID_1 PARENT_ID_2 UF_CRM_9_LOCATION`,
  string: `${smartProcess.string} UF_CRM_9_REFERENCE UF_CRM_9_1752000000`,
  boolean: 'UF_CRM_9_ATTENDED',
  datetime: `${smartProcess.datetime} UF_CRM_9_TIME`,
});

export const listingFields = fieldTable({ ...smartProcess, string: `${smartProcess.string} UF_CRM_10_REFERENCE` });

export const userFields = fieldTable({
  integer: 'ID!',
  string:
    'XML_ID NAME LAST_NAME SECOND_NAME TITLE EMAIL TIME_ZONE PERSONAL_GENDER PERSONAL_MOBILE PERSONAL_PHOTO PERSONAL_CITY WORK_PHONE WORK_POSITION WORK_COMPANY UF_PHONE_INNER USER_TYPE',
  boolean: 'ACTIVE',
  char: 'IS_ONLINE!',
  datetime: 'LAST_LOGIN! DATE_REGISTER! LAST_ACTIVITY_DATE! PERSONAL_BIRTHDAY UF_EMPLOYMENT_DATE',
  list: 'UF_DEPARTMENT',
});

export const commentFields = fieldTable({
  integer: 'ID! ENTITY_ID AUTHOR_ID',
  string: 'ENTITY_TYPE COMMENT',
  datetime: 'CREATED!',
});
